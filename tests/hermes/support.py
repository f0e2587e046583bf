# SPDX-License-Identifier: MIT
"""What the scripts of this folder share."""
import contextlib


@contextlib.contextmanager
def raises(kind, *texts):
    """The block must raise exactly such an exception, and its text must hold every one of texts."""
    try:
        yield
    except BaseException as error:
        assert isinstance(error, kind), f"{type(error).__name__}: {error}"
        for text in texts:
            assert text in str(error), f"{text!r} is not in {str(error)!r}"
    else:
        raise AssertionError(f"{kind} was not raised")


def equal(got, wanted):
    assert got == wanted, f"\n   got {got!r}\nwanted {wanted!r}"
