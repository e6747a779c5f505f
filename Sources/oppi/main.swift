// SPDX-License-Identifier: MIT

import Glibc
import OppiCommands
import OppiSystem

exit(
  Oppi.main(
    ProcessArguments.current(),
    environment: ProcessEnvironment.current(),
    commit: buildCommit
  )
)
