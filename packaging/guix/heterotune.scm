;;; packaging/guix/heterotune.scm - heterotune for Guix, built from a checkout: guix build -f packaging/guix/heterotune.scm
;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;; StarPU is in the channel guix-hpc; add `starpu' to the inputs for the scheduler library.

(use-modules (guix packages)
             (guix gexp)
             (guix git-download)
             (guix build-system gnu)
             ((guix licenses) #:prefix license:)
             (gnu packages compression)
             (gnu packages maths)
             (gnu packages perf)
             (gnu packages pkg-config)
             (gnu packages xml))

(define checkout
  (dirname (dirname (dirname (current-filename)))))

(package
  (name "heterotune")
  (version "0.2.0")
  (source (local-file checkout "heterotune-checkout"
                      #:recursive? #t
                      #:select? (git-predicate checkout)))
  (build-system gnu-build-system)
  (arguments
   (list #:make-flags
         #~(list "CC=gcc" "HAVE_MPI=" (string-append "PREFIX=" #$output))
         #:test-target "unit"
         #:phases
         #~(modify-phases %standard-phases
             (delete 'configure))))
  (native-inputs (list pkg-config))
  (inputs (list gnuplot libxml2 lpsolve papi suitesparse zlib))
  (home-page #f)
  (synopsis "Tune how StarPU schedules tasks, from one recorded run")
  (description
   "heterotune records a StarPU application once, replays its tasks under
published heuristics, StarPU's own schedulers and what a search finds, and
writes what was best as a config, under which the unchanged application runs.")
  (license license:lgpl2.1+))
