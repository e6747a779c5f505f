// SPDX-License-Identifier: MIT

import Glibc
import OppiCommands
import OppiSystem

exit(Oppi.main(CommandLine.arguments, environment: ProcessEnvironment.current()))
