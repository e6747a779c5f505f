// SPDX-License-Identifier: MIT

extension StatusFormat {
  /// A line with a colour tag for `custom/script`.
  static let polybar = StatusFormat(
    "polybar",
    "A line with a colour tag",
    configuration: """
      exec = ~/.local/bin/oppi status --format polybar --follow
      type = custom/script
      tail = true
      """,
    .bar { glance, presentation in
      let color = glance.color
      return [
        BarLine(
          glance.line(presentation),
          escape: partingTags,
          before: color.map { "%{F\($0)}" } ?? "",
          after: color == nil ? "" : "%{F-}"
        )
      ]
    }
  )

  /// Inserts a zero-width space into `%{`.
  ///
  /// A tag such as `%{A1:command:}` would run a command when clicked, and tags cannot be escaped.
  private static func partingTags(_ scalar: Unicode.Scalar, _ before: Unicode.Scalar?) -> String? {
    scalar == "{" && before == "%" ? "\u{200B}{" : nil
  }
}
