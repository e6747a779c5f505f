// SPDX-License-Identifier: MIT

/// Whether a terminal opens links (OSC 8).
///
/// Only terminals that are known to do so count, because a link hides its address. Inside tmux and
/// screen, the outer terminal is unknown. `FORCE_HYPERLINK` overrides the detection.
enum TerminalLinks {
  private static let names: Set = [
    "alacritty", "contour", "foot", "foot-extra", "wezterm", "xterm-ghostty", "xterm-kitty",
  ]
  private static let programs: Set = ["ghostty", "iTerm.app", "vscode", "WezTerm"]

  static func work(in environment: [String: String]) -> Bool {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let forced = value("FORCE_HYPERLINK") { return forced != "0" }
    let name = value("TERM") ?? "dumb"
    guard value("TMUX") == nil, value("STY") == nil, name != "dumb" else { return false }
    if names.contains(name) || value("TERM_PROGRAM").map(programs.contains) == true { return true }
    // The first versions that support links: VTE 0.50, Konsole 20.12.
    return value("WT_SESSION") != nil || isAtLeast(5000, value("VTE_VERSION"))
      || isAtLeast(201_200, value("KONSOLE_VERSION"))
  }

  private static func isAtLeast(_ least: Int, _ version: String?) -> Bool {
    version.flatMap { Int($0) }.map { $0 >= least } ?? false
  }
}
