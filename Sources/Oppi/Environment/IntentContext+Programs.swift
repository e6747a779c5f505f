// SPDX-License-Identifier: MIT

import OppiSystem

// MARK: - The machine's schedulers

extension IntentContext {
  var tools: ToolRunner {
    ToolRunner(programs: programs, environment: environment, loop: loop)
  }
  var userManager: UserManager {
    UserManager(
      runtimeFolder: nonEmpty("XDG_RUNTIME_DIR"),
      paths: paths,
      files: files,
      tools: tools
    )
  }
  var crontab: CrontabProgram { CrontabProgram(tools: tools, files: files) }
}
