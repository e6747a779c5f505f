// SPDX-License-Identifier: MIT

import CommandTable
import OppiRendering

extension Topics {
  static let bars = HelpTopic(
    name: "bars",
    summary: "Configuration of status bars",
    body: """
      'oppi status' prints one line for a status bar: the most important session of all servers. \
      Use the full path of the program, because the PATH of a bar may differ from yours:

      \(configurations)

      --presentation minimal prints a symbol only, expanded prints everything. While 'oppi watch' \
      runs, its snapshot is read and no server is queried. 'oppi examples show waybar' prints \
      complete configuration files; 'oppi examples' lists those for other bars.
      """
  )

  /// Indented lines, which help prints unchanged.
  private static let configurations: String = {
    let bars = StatusFormat.all.filter(\.isBar)
    let width = bars.map(\.name.count).max() ?? 0
    return bars.flatMap { bar in
      bar.configuration.split(separator: "\n").enumerated().map { index, line in
        let name = index == 0 ? bar.name : ""
        return "    \(name)\(String(repeating: " ", count: width + 2 - name.count))\(line)"
      }
    }
    .joined(separator: "\n")
  }()
}
