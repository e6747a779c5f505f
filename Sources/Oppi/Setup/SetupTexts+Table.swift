// SPDX-License-Identifier: MIT

import CommandTable

extension SetupTexts {
  /// Generates the completions and the manual of the program's commands.
  ///
  /// - Parameter name: The program's name on the command line.
  init(for name: String) {
    self.init(
      bash: BashCompletion.script(for: name),
      zsh: ZshCompletion.script(for: name),
      fish: FishCompletion.script(for: name),
      manual: OppiTable.manual(for: name).pages.map {
        Page(section: $0.section, fileName: $0.fileName, source: $0.source)
      }
    )
  }
}
