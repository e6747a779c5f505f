// SPDX-License-Identifier: MIT

import OppiModel

extension StatusFormat {
  /// One JSON object per line for a custom module with `return-type: json`; the texts are Pango
  /// markup.
  static let waybar = StatusFormat(
    "waybar",
    "JSON with text, alt, tooltip, class and percentage",
    configuration: """
      "exec": "~/.local/bin/oppi status --format waybar --follow",
      "return-type": "json", "restart-interval": 5
      """,
    .bar { glance, presentation in
      let state = glance.state
      let classes = [state.status.rawValue] + (state.isStale ? ["stale"] : [])
      return [
        BarLine(
          json: .object([
            "text": .string(pango(glance.line(presentation))),
            "alt": .string(state.status.rawValue),
            "tooltip": .string(
              glance.lines(.expanded).map { pango($0.plain) }.joined(separator: "\n")
            ),
            "class": .array(classes.map(JSONValue.string)),
            "percentage": state.todo?.percentage.map { .integer(Int64($0)) },
          ])
        )
      ]
    }
  )

  private static func pango(_ text: String) -> String {
    BarLine.escaped(text) { scalar, _ in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: nil
      }
    }
  }
}
