// SPDX-License-Identifier: MIT

extension StatusFormat {
  /// The title of the panel, a rule, and a menu of lines, as Argos, kargos and xbar read them.
  static let argos = StatusFormat(
    "argos",
    "A title and a menu, for Argos, kargos and xbar",
    .bar { glance, presentation in
      let color = glance.color.map { " color=\($0)" } ?? ""
      let menu = glance.lines(.expanded).map { entry($0.plain) }
      return [entry(glance.line(presentation), color)] + [BarLine("---")] + menu
    },
    isStream: false
  )

  /// Attributes such as `bash=` begin behind a bar; a hyphen at the start makes a rule, or a menu
  /// below the menu.
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
