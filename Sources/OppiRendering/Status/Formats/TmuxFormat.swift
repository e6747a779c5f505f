// SPDX-License-Identifier: MIT

extension StatusFormat {
  /// A line with a style for `#(…)` in a status line.
  ///
  /// The style sets a background because the default one is green, like one of the colours.
  static let tmux = StatusFormat(
    "tmux",
    "A line with a style",
    configuration: "'#(~/.local/bin/oppi status --format tmux)' in status-right",
    .bar { glance, presentation in
      let color = glance.color
      return [
        BarLine(
          glance.line(presentation),
          escape: { scalar, _ in scalar == "#" ? "##" : nil },
          before: color.map { "#[fg=\($0),bg=black]" } ?? "",
          after: color == nil ? "" : "#[default]"
        )
      ]
    }
  )
}
