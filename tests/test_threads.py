"""Fits beside each other: one thread each inside workers of joblib, and a BLAS that is left as it was found."""

import os
from threading import Event, Thread

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_info, threadpool_limits

from jointmds import Geodesic, JointMDS
from jointmds._parallel import count_jobs, in_threads
from jointmds._threads import one_blas_thread

BACKENDS = ["threading", "loky"]


def blas_threads():
    """The threads that each BLAS of this process may use."""
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def watched_fit(seed, n_jobs=None):
    """Race some starts; return the embedding, and how many threads distances, starts and BLAS had while it ran."""
    X = np.random.default_rng(seed).normal(size=(40, 3)) * [4, 2, 1]
    seen = set()
    jm = JointMDS(metric=Geodesic(5), n_starts=6, init="mds", tol=1e-2, random_state=0, n_jobs=n_jobs)
    jm.fit(X, X[::-1], callback=lambda _: seen.update(blas_threads()))
    return jm.x_embedding_, count_jobs(n_jobs), seen


for function in (blas_threads, watched_fit):
    function.__module__ = "__main__"  # so joblib sends what it does, not a name that other processes cannot import


@pytest.fixture
def two_blas_threads():
    """A BLAS that could use two threads, whatever the environment says."""
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("this BLAS cannot use two threads")
        yield


def test_by_default_all_cores_are_used():
    assert count_jobs(None) == cpu_count()
    assert (count_jobs(1), count_jobs(3)) == (1, 3)
    assert count_jobs(-1) == cpu_count()


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("inner", [None, 2])
def test_a_worker_uses_one_thread_unless_told_otherwise(backend, inner):
    """The workers together take no more cores than there are; their results are those of fits one after another."""
    fits = Parallel(n_jobs=2, backend=backend)(delayed(watched_fit)(seed, inner) for seed in range(4))
    for seed, (embedding, jobs, blas) in enumerate(fits):
        assert jobs == (inner or 1)
        assert blas == {1}
        np.testing.assert_array_equal(embedding, watched_fit(seed)[0])


def test_workers_of_workers_use_one_thread():
    def pair():
        return Parallel(n_jobs=2, backend="threading")(delayed(count_jobs)(None) for _ in range(2))

    assert Parallel(n_jobs=2, backend="threading")(delayed(pair)() for _ in range(2)) == [[1, 1], [1, 1]]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_the_number_of_threads_changes_no_bit(n_jobs):
    np.testing.assert_array_equal(watched_fit(0, n_jobs)[0], watched_fit(0)[0])


def test_what_runs_beside_an_error_is_asked_to_end():
    stop, waited = Event(), []

    def task(number):
        if number == 0:
            raise KeyboardInterrupt
        waited.append(stop.wait(10))

    with pytest.raises(KeyboardInterrupt):
        in_threads(task, range(3), 3, stop)
    assert all(waited)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_senseless_numbers_of_threads_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a number of threads, -1 for all cores, or None, not "):
        count_jobs(n_jobs)


@pytest.mark.usefixtures("two_blas_threads")
def test_blas_is_left_as_it_was_found():
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}
    with pytest.raises(KeyboardInterrupt), one_blas_thread():
        raise KeyboardInterrupt
    assert blas_threads() == {2}


@pytest.mark.usefixtures("two_blas_threads")
def test_fits_that_overlap_hold_blas_until_the_last_ends():
    """The first to begin is the first to end, while the other is still computing."""
    begun, may_end = Event(), Event()

    def first():
        with one_blas_thread():
            begun.set()
            may_end.wait(10)

    thread = Thread(target=first)
    thread.start()
    begun.wait(10)
    with one_blas_thread():
        may_end.set()
        thread.join(10)
        assert not thread.is_alive()
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_a_worker_process_leaves_no_trace():
    """Nothing in the environment that a process of joblib would inherit is set by a fit."""
    before = dict(os.environ)
    watched_fit(0)
    assert dict(os.environ) == before
