// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

/// The status in real bars, with the configurations of the examples.
@Suite(.fewAtOnce) struct BarsTests {
  /// A request whose text looks like commands, tags and markup to a bar.
  private static let hostile =
    "#(touch $HOME/pwned) #[fg=red] %{A1:touch pwned:} <b> & | bash='x' \u{1B}[31m #"

  /// A home whose snapshot has a pending approval.
  private static func home(_ summary: String = "make it") throws -> Home {
    let home = try Home()
    let request = PendingApproval(id: "r", tool: "bash", summary: summary, risk: .high)
    try write([.sample("s", .waiting, approvals: [request])], to: "run/oppi/status.json", in: home)
    try ExamplesTests.install(in: home)
    return home
  }

  private static func write(
    _ sessions: [SessionStatus],
    to file: String,
    in home: Home
  ) throws {
    let now = Timestamp(milliseconds: Int(Date().timeIntervalSince1970 * 1000))
    var server = ServerStatus.sample(sessions)
    server.contactAt = now
    try home.write(FleetStatus(at: now, servers: [server]).json.text(), to: file)
  }

  private static func environment(_ home: Home) -> [String: String] {
    ["XDG_RUNTIME_DIR": "\(home.folder.path)/run", "TMUX_TMPDIR": home.folder.path]
  }

  @Test("a closed pipe ends status --follow with 0 at the next change")
  func readerClosed() async throws {
    let home = try Self.home()
    try Self.write([.sample("s", .running)], to: "run/oppi/next", in: home)
    let outcome = try await home.shell(
      """
      { oppi status --follow; echo $? >ended; } | {
        read -r line; echo "$line"
        exec <&-
        mv run/oppi/next run/oppi/status.json
        \(Home.until("[ -s ended ]"))
        cat ended
      }
      """,
      environment: Self.environment(home)
    )
    #expect(outcome.output == "! approval\n0\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("tmux shows the line in its colour and runs none of its text", .needs("tmux"))
  func tmux() async throws {
    let home = try Self.home(Self.hostile)
    try home.write(try ExamplesTests.example("tmux/tmux.conf"), to: "example.conf")
    try home.write(
      """
      source-file "$HOME/example.conf"
      set -g status-right-length 400
      set -g status-interval 1
      set -ag status-right ' #(~/.local/bin/oppi status --format tmux --presentation expanded)'
      """,
      to: "tmux.conf"
    )
    // A forced refresh would start the programs of the line a second time.
    let seen = "tmux -L out capture-pane -p"
    let outcome = try await home.shell(
      """
      tmux -L in -f tmux.conf new-session -d -x 400 -y 10 'cat'
      tmux -L out -f /dev/null new-session -d -x 400 -y 12 'env -u TMUX tmux -L in attach'
      \(Home.until("\(seen) | grep '! approval .*high risk'"))
      \(seen)e | grep 'high risk' >&2
      tmux -L out kill-server; tmux -L in kill-server
      """,
      environment: Self.environment(home)
    )
    #expect(outcome.output.contains("! approval "), "\(outcome)")
    let shown = Self.hostile.replacing("\u{1B}[31m ", with: "")
    #expect(outcome.output.contains("bash: \(shown) · high risk"), "\(outcome)")
    // Black on yellow; the default status line is black on green.
    #expect(outcome.errors.contains("\u{1B}[43m! approval"), "\(outcome)")
    #expect(!outcome.errors.split(separator: "[43m")[0].contains("[37m"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "pwned").path))
  }

  @Test("i3blocks shows a pending approval as urgent", .needs("i3blocks"))
  func i3blocks() async throws {
    let home = try Self.home(Self.hostile)
    let example = try ExamplesTests.example("i3blocks/config")
    let expanded = example.replacing("i3blocks\n", with: "i3blocks --presentation expanded\n")
    try home.write(example + expanded, to: "i3blocks.conf")
    let outcome = try await home.shell(
      """
      i3blocks -c i3blocks.conf >out & bar=$!
      \(Home.until("grep -q 'high risk' out && grep -q '\"! approval\"' out"))
      kill $bar; wait $bar
      tail -n 1 out
      """,
      environment: Self.environment(home)
    )
    let line = try #require(outcome.outputLines.last).drop { $0 == "," }
    let blocks = try #require(try JSONValue(parsing: Array(line.utf8)).array)
      .filter { $0["name"] == "oppi" }
    #expect(blocks.count == 2)
    #expect(blocks.first?["full_text"] == "! approval", "\(outcome)")
    #expect(blocks.first?["short_text"] == "!" && blocks.first?["color"] == "#b96a00")
    #expect(blocks.allSatisfy { $0["urgent"] == true }, "\(outcome)")
    let shown = Self.hostile.replacing("\u{1B}[31m ", with: "")
    #expect(blocks.last?["full_text"].string?.contains("bash: \(shown) · high risk") == true)
  }
}
