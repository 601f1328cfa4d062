"""How much of the mass has partners: the curve over fractions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from jointmds import JointMDS, fraction_curve
from jointmds._fraction import FractionCurve


def made(objective, fractions=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0)):
    return FractionCurve(np.array(fractions), np.array(objective), tuple(JointMDS() for _ in fractions))


def test_elbow_is_where_mass_becomes_dear():
    assert made([1.0, 1.1, 1.2, 1.3, 1.8, 2.4]).elbow == 0.8
    assert made([1.0, 1.1, 1.2, 1.3, 1.41, 1.55]).elbow == 1.0
    assert made([1.0, 1.1, 1.5, 2.0, 2.5, 3.0]).elbow == 0.6
    curve = made([1.0, 1.1, 1.2, 1.3, 1.8, 2.4])
    assert curve.best is curve.estimators[3]
    np.testing.assert_allclose(curve.price, [1, 1, 1, 5, 6])


def test_curve_finds_the_share_that_has_partners():
    """A corner of a cloud is missing in the other."""
    X = np.random.default_rng(0).gamma(2.0, size=(50, 2)) * [4, 1]
    Y = X[X[:, 0] < 10][::-1]
    estimator = JointMDS(scale="joint", entropy=0.03, n_starts=4, random_state=0)
    curve = fraction_curve(estimator, X, Y, fractions=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert abs(curve.elbow - len(Y) / len(X)) <= 0.15
    assert not hasattr(estimator, "result_")
    assert np.all(np.diff(curve.objective) > 0)
    assert [fit.mass.fraction for fit in curve.estimators] == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def test_picture():
    artists = made([1.0, 1.1, 1.2, 1.3, 1.8, 2.4]).plot()
    assert artists.axes.get_ylabel() == "objective"
    np.testing.assert_allclose(artists.elbow.get_xdata(), 0.8)
    assert artists.label.get_text() == "elbow 0.8"
    plt.close("all")


@pytest.mark.parametrize("fractions", [[0.5], [0.0, 0.5], [0.5, 1.1], [0.6, 0.5]])
def test_wrong_fractions_are_refused(fractions):
    with pytest.raises(ValueError, match="fractions must rise"):
        fraction_curve(JointMDS(), np.eye(4), np.eye(4), fractions=fractions)


def test_only_an_estimator_is_fitted():
    with pytest.raises(TypeError, match="must be a JointMDS"):
        fraction_curve(3, np.eye(4), np.eye(4))
