// SPDX-License-Identifier: MIT

extension StatusFormat {
  /// A title, a rule and a menu, in the format of Argos, kargos and xbar.
  static let argos = StatusFormat(
    "argos",
    "A title and a menu, for Argos, kargos and xbar",
    configuration: "a script that runs oppi status --format argos",
    .bar { glance, presentation in
      let color = glance.color.map { " color=\($0)" } ?? ""
      let menu = glance.lines(.expanded).map { entry($0.plain) }
      return [entry(glance.line(presentation), color)] + [BarLine("---")] + menu
    },
    isStream: false
  )

  /// Removes bars, which begin attributes such as `bash=`, and leading hyphens.
  ///
  /// A leading hyphen makes a rule or a submenu.
  private static func entry(_ text: String, _ attributes: String = "") -> BarLine {
    var isStart = true
    return BarLine(
      text,
      escape: { scalar, _ in
        isStart = isStart && (scalar == "-" || scalar == " " || scalar == "|")
        return isStart || scalar == "|" ? "" : nil
      },
      after: " | useMarkup=false ansi=false emojize=false unescape=false\(attributes)"
    )
  }
}
