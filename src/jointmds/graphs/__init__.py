"""Graphs: couplings of their nodes."""

from ._proximal import Proximal, proximal_coupling, structure, with_masses

__all__ = ["Proximal", "proximal_coupling", "structure", "with_masses"]
