"""What pyproject.toml cannot say: the compiled twins of a few small modules. Without a C compiler they are left out."""

from setuptools import Extension, setup

TWINS = {
    "harness._making": "harness/_making.c",
    "harness.play._plies": "harness/play/_plies.c",
    "harness.protocols._ply": "harness/protocols/_ply.c",
    "harness.protocols._whole": "harness/protocols/_whole.c",
    "harness.rules._chess_ply": "harness/rules/_chess_ply.c",
}

setup(
    ext_modules=[
        Extension(name, [source], depends=["harness/_plain.h"], extra_compile_args=["-std=gnu11", "-O2"], optional=True)
        for name, source in TWINS.items()
    ]
)
