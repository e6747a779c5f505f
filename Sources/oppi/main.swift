// SPDX-License-Identifier: MIT

import Glibc
import Oppi
import OppiSystem

exit(
  OppiProgram.main(
    ProcessArguments.current(),
    environment: ProcessEnvironment.current(),
    commit: buildCommit
  )
)
