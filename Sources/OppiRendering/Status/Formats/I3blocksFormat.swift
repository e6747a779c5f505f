// SPDX-License-Identifier: MIT

extension StatusFormat {
  /// The full text, the short text and a colour, one per line, as plain text (`markup=none`).
  static let i3blocks = StatusFormat(
    "i3blocks",
    "Full text, short text, colour; status 33 for a pending approval",
    configuration: """
      command=~/.local/bin/oppi status --format i3blocks
      interval=5
      """,
    .bar { glance, presentation in
      [BarLine(glance.line(presentation)), BarLine(glance.line(.minimal))]
        + [glance.color].compactMap(\.self).map { BarLine($0) }
    },
    isStream: false,
    tellsUrgency: true
  )
}
