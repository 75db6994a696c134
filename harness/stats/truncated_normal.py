"""How a result moves a normal belief about a lead, with the lead known to be above, or within, a draw margin.

The functions V, W, Ṽ, W̃ of Weng and Lin and of TrueSkill, kept exact far out in the tails. Plain math, no numpy.
Source: Herbrich, Minka and Graepel, TrueSkill, NeurIPS 2006; Weng and Lin, JMLR 12 (2011), equations 39 to 43.
"""

from harness.stats.distributions import normal_pdf, normal_sf

_DEEP = 25.0
_TINY_WIDTH = 1e-6


def win_mean_shift(x: float) -> float:
    """V(x) = φ(x) / Φ(x): by how much a win with lead x (margin taken off) moves the mean."""
    if x > -_DEEP:
        return normal_pdf(x) / normal_sf(-x)
    # φ/Φ for x → −∞ by its continued fraction: −x + 1/(−x + 2/(−x + 3/…)).
    y = -x
    tail = y
    for term in range(20, 0, -1):
        tail = y + term / tail
    return tail


def win_variance_cut(x: float) -> float:
    """W(x) = V·(V + x), between 0 and 1: the share of variance that a win takes away."""
    v = win_mean_shift(x)
    return min(1.0, max(0.0, v * (v + x)))


def draw_mean_shift(lead: float, margin: float) -> float:
    """Ṽ: by how much a draw moves the mean; towards the weaker side. A margin of 0 gives its limit, −lead."""
    x = abs(lead)
    mass = _within(x, margin)
    value = -x if mass is None else (normal_pdf(-margin - x) - normal_pdf(margin - x)) / mass
    return -value if lead < 0.0 else value


def draw_variance_cut(lead: float, margin: float) -> float:
    """W̃: the share of variance that a draw takes away; 1 in the limit of margin 0."""
    x = abs(lead)
    mass = _within(x, margin)
    if mass is None:
        return 1.0
    upper, lower = margin - x, -margin - x
    v = draw_mean_shift(x, margin)
    return v * v + (upper * normal_pdf(upper) - lower * normal_pdf(lower)) / mass


def _within(x: float, margin: float) -> float | None:
    """P(−margin − x < Z < margin − x); None where it is too small for the quotients to keep digits."""
    mass = normal_sf(x - margin) - normal_sf(x + margin)
    return mass if margin > _TINY_WIDTH and mass > 1e-280 else None
