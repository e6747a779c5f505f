// SPDX-License-Identifier: MIT

import OppiModel

extension StatusFormat {
  /// A line for `#(…)` in a status line, with a style if it needs the user.
  static let tmux = StatusFormat(
    "tmux",
    "A line with a style",
    configuration: "'#(~/.local/bin/oppi status --format tmux)' in status-right",
    .bar { glance, presentation in
      let style = style(of: glance.state.status)
      return [
        BarLine(
          glance.line(presentation),
          escape: { scalar, _ in scalar == "#" ? "##" : nil },
          before: style.map { "#[\($0)]" } ?? "",
          after: style == nil ? "" : "#[default]"
        )
      ]
    }
  )

  /// Both colours, because the status line has any background, by default green; `nil` for the
  /// style of the status line.
  ///
  /// The colours are the terminal's. These two pairs are legible in the usual palettes.
  private static func style(of status: ContentState.Status) -> String? {
    switch status {
    case .awaitingApproval, .awaitingAnswer: "fg=black,bg=yellow"
    case .error: "fg=white,bg=red"
    case .processing, .completed, .idle, .offline, .notPaired: nil
    }
  }
}
