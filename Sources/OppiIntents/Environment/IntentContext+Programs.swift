// SPDX-License-Identifier: MIT

package import OppiSystem

// MARK: - The machine's schedulers

extension IntentContext {
  package var tools: ToolRunner {
    ToolRunner(programs: programs, environment: environment, loop: loop)
  }
  package var userManager: UserManager {
    UserManager(
      runtimeFolder: nonEmpty("XDG_RUNTIME_DIR"),
      paths: paths,
      files: files,
      tools: tools
    )
  }
  package var crontab: CrontabProgram { CrontabProgram(tools: tools, files: files) }
}
