# packaging/spack/packages/heterotune/package.py - heterotune for Spack, built from a checkout: spack dev-build.
# SPDX-License-Identifier: LGPL-2.1-or-later
from spack.package import *


class Heterotune(MakefilePackage):
    """Tunes how StarPU schedules tasks, from one recorded run: replays the recorded graph of tasks under published
    heuristics and StarPU's own schedulers, and writes a config under which the unchanged application runs."""

    license("LGPL-2.1-or-later")

    version("0.2.0")

    variant("papi", default=True, description="count PAPI events of tasks")
    variant("mpi", default=False, description="tune on several machines")
    variant("starpu", default=True, description="record, and run under a config: StarPU 1.4 with FxT")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmake", type="build")
    depends_on("libxml2")
    depends_on("lp-solve")
    depends_on("suite-sparse")
    depends_on("zlib-api")
    depends_on("papi", when="+papi")
    depends_on("openmpi", when="+mpi")
    depends_on("starpu@1.4: +fxt", when="+starpu")
    depends_on("gnuplot", type="run")

    def options(self):
        named = [f"PREFIX={self.prefix}"]
        if not self.spec.satisfies("+papi"):
            named.append("HAVE_PAPI=")
        if not self.spec.satisfies("+mpi"):
            named.append("HAVE_MPI=")
        return named

    @property
    def build_targets(self):
        return self.options() + ["tool"]

    @property
    def install_targets(self):
        return self.options() + ["install"]
