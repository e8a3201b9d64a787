"""Raising to a power, to the last bit alike on every machine.

C libraries differ in the last bit, and so would give different values for one plan. This
is fdlibm's algorithm with the division that V8 11 (Node 20, where the reference runs) has
in its place.
"""

from __future__ import annotations

import math
import struct
from typing import Final

from strands_plan_tool.values.doubles import EXACT_LIMIT, Number

__all__ = ["power"]


def power(base: Number, exponent: Number) -> float:
    """``base`` to the ``exponent``; NaN or infinite where there is no such number."""
    x, y = float(base), float(exponent)
    if y == 0 or (x == 1 and math.isfinite(y)):
        return 1.0
    if y == 1:
        return x
    if y == 2:
        return x * x
    if y == 0.5 and x >= 0:
        return math.sqrt(x)
    odd = y.is_integer() and y % 2 == 1
    if x == 0:
        return math.inf if y < 0 else 0.0
    if x == -1 and y.is_integer():
        return -1.0 if odd else 1.0
    if x < 0 and not y.is_integer():
        return math.nan
    if y == -1:
        return 1 / x
    magnitude = _power(abs(x), y)
    return -magnitude if x < 0 and odd else magnitude


_BASE: Final = (1.0, 1.5)
_LOG_HIGH: Final = (0.0, 5.84962487220764160156e-01)
_LOG_LOW: Final = (0.0, 1.35003920212974897128e-08)
_L: Final = (
    5.99999999999994648725e-01,
    4.28571428578550184252e-01,
    3.33333329818377432918e-01,
    2.72728123808534006489e-01,
    2.30660745775561754067e-01,
    2.06975017800338417784e-01,
)
_P: Final = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
_LN2: Final = (
    6.93147180559945286227e-01,
    6.93147182464599609375e-01,
    -1.90465429995776804525e-09,
)
_CP: Final = (
    9.61796693925975554329e-01,
    9.61796700954437255859e-01,
    -7.02846165095275826516e-09,
)
_IVLN2: Final = (
    1.44269504088896338700e00,
    1.44269502162933349609e00,
    1.92596299112661746887e-08,
)
_OVERFLOW_TAIL: Final = 8.0085662595372944372e-17


def _high(value: float) -> int:
    """The upper 32 bits of a double, signed."""
    bits: int = struct.unpack("<ii", struct.pack("<d", value))[1]
    return bits


def _with_high(value: float, bits: int) -> float:
    low = struct.pack("<d", value)[:4]
    made: float = struct.unpack("<d", low + struct.pack("<I", bits & 0xFFFFFFFF))[0]
    return made


def _cut(value: float) -> float:
    """A double without its lower 32 bits."""
    made: float = struct.unpack("<d", b"\0\0\0\0" + struct.pack("<d", value)[4:])[0]
    return made


def _power(x: float, y: float) -> float:
    """fdlibm's ``pow`` for ``x`` above zero and none of the special exponents."""
    exponent_bits, base_bits = _high(y) & 0x7FFFFFFF, _high(x)
    if exponent_bits > 0x41E00000:
        if exponent_bits > 0x43F00000 or not 0x3FEFFFFF <= base_bits <= 0x3FF00000:
            return math.inf if (y > 0) == (base_bits >= 0x3FF00000) else 0.0
        t = x - 1
        w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25))
        u, v = _IVLN2[1] * t, t * _IVLN2[2] - w * _IVLN2[0]
        log_high = _cut(u + v)
        log_low = v - (log_high - u)
    else:
        log_high, log_low = _log2(x, base_bits)
    y_high = _cut(y)
    low = (y - y_high) * log_high + y * log_low
    high = y_high * log_high
    if high + low >= 1024:
        if high + low > 1024 or low + _OVERFLOW_TAIL > (high + low) - high:
            return math.inf
    elif high + low <= -1075 and (high + low < -1075 or low <= (high + low) - high):
        return 0.0
    return _exp2(high, low)


def _log2(x: float, bits: int) -> tuple[float, float]:
    n = 0
    if bits < 0x00100000:
        x, n = x * EXACT_LIMIT, -53
        bits = _high(x)
    n += (bits >> 20) - 0x3FF
    fraction = bits & 0x000FFFFF
    bits = fraction | 0x3FF00000
    k = 0 if fraction <= 0x3988E else 1
    if fraction >= 0xBB67A:
        k, n, bits = 0, n + 1, bits - 0x00100000
    x = _with_high(x, bits)
    u, v = x - _BASE[k], 1 / (x + _BASE[k])
    s = u * v
    s_high = _cut(s)
    t_high = _with_high(0.0, ((bits >> 1) | 0x20000000) + 0x00080000 + (k << 18))
    t_low = x - (t_high - _BASE[k])
    s_low = v * ((u - s_high * t_high) - s_high * t_low)
    s2 = s * s
    series = _L[3] + s2 * (_L[4] + s2 * _L[5])
    r = s2 * s2 * (_L[0] + s2 * (_L[1] + s2 * (_L[2] + s2 * series)))
    r += s_low * (s_high + s)
    s2 = s_high * s_high
    t_high = _cut(3 + s2 + r)
    t_low = r - ((t_high - 3) - s2)
    u, v = s_high * t_high, s_low * t_high + t_low * s
    p_high = _cut(u + v)
    p_low = v - (p_high - u)
    z_high, z_low = _CP[1] * p_high, _CP[2] * p_high + p_low * _CP[0] + _LOG_LOW[k]
    log_high = _cut(((z_high + z_low) + _LOG_HIGH[k]) + n)
    return log_high, z_low - (((log_high - n) - _LOG_HIGH[k]) - z_high)


def _exp2(high: float, low: float) -> float:
    bits = _high(high + low)
    n, k = 0, ((bits & 0x7FFFFFFF) >> 20) - 0x3FF
    if bits & 0x7FFFFFFF > 0x3FE00000:
        n = bits + (0x00100000 >> (k + 1))
        k = ((n & 0x7FFFFFFF) >> 20) - 0x3FF
        high -= _with_high(0.0, n & ~(0x000FFFFF >> k))
        n = ((n & 0x000FFFFF) | 0x00100000) >> (20 - k)
        n = -n if bits < 0 else n
    t = _cut(low + high)
    u, v = t * _LN2[1], (low - (t - high)) * _LN2[0] + t * _LN2[2]
    z = u + v
    w = v - (z - u)
    t = z * z
    t1 = z - t * (_P[0] + t * (_P[1] + t * (_P[2] + t * (_P[3] + t * _P[4]))))
    r = (z * t1) / ((t1 - 2) - (w + z * w))
    z = 1 - (r - z)
    if ((_high(z) + (n << 20)) >> 20) <= 0:
        return math.ldexp(z, n)
    return _with_high(z, _high(z) + (n << 20))
