// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import Synchronization
import TestSupport
import Testing

/// A chat that starts an editor, which has the terminal until it exits.
@Suite(.fewAtOnce) struct ChatEditorTests {
  /// A chat in a shell that prints its status and the terminal's modes afterwards.
  ///
  /// The editor waits for an interrupt, reads a line from the terminal, records the chat's process
  /// id, and saves the line once `go` exists. It waits in steps because a shell that begins to read
  /// just as a signal comes runs its trap only after the line.
  private struct ChatTerminal {
    let home: Home
    let server: RunningServer
    let terminal: ProgramOnTerminal

    init(refusing isRefusing: Flag = Flag()) async throws {
      home = try Home()
      server = try await home.paired {
        $0.limits.pingInterval = .milliseconds(200)
        $0.interceptor = { step in
          guard case .request = step, isRefusing.value else { return .proceed }
          return .answer(status: 401, error: "Unauthorized")
        }
      }
      let editor = """
        f() {
          trap 'interrupted=yes' INT
          echo "in the editor"
          until [ "$interrupted" ]; do sleep 0.01; done
          echo "interrupted"
          read -r line
          echo "read: $line"
          echo $PPID >process
          until [ -e go ]; do sleep 0.01; done
          printf %s "$line" >"$1"
        }; f
        """
      terminal = try ProgramOnTerminal(
        [
          "/bin/sh", "-c", "trap : INT; '\(Executable.oppi)' chat -w demo; echo status=$?; stty -a",
        ],
        in: home,
        environment: ["EDITOR": editor]
      )
      try await terminal.see("Enter: send")
      try await terminal.type("draft\u{07}", see: "in the editor")
      try await terminal.type("\u{03}", see: "interrupted")
      try await terminal.type("words for the editor\r", see: "read: words for the editor")
    }
  }

  @Test("during an edit pings are answered, keys go to the editor, and output is shown later")
  func goesOn() async throws {
    let talk = try await ChatTerminal()
    // Without pongs the server would close the connection before a third ping.
    let pongs = talk.server.journal.pongs
    _ = try await talk.server.wait { $0.pongs >= pongs + 5 }
    let session = try #require(try talk.server.sessionIDs().first)
    let ask = try await talk.home.oppi("ask", "--wait", "-s", session, "echo from elsewhere")
    #expect(ask.status == 0, "\(ask)")
    #expect(!talk.terminal.lines.contains { $0.contains("The command printed") })
    try talk.home.write("", to: "go")
    try await talk.terminal.see("The command printed: hi")
    try await talk.terminal.see("› words for the editor")
    #expect(!talk.terminal.lines.contains { $0.contains("not connected") })
    talk.terminal.type("\r")
    _ = try await talk.server.wait { $0.runs.last?.text == "words for the editor" }
    #expect(talk.server.journal.runs.count == 2)
    try await talk.terminal.see("Enter: send")
    try await talk.terminal.type("\u{04}", see: "status=0")
  }

  @Test("SIGTERM ends the editor and the chat, and restores the terminal")
  func ends() async throws {
    let talk = try await ChatTerminal()
    let killing = try await talk.home.shell(
      "until [ -s process ]; do sleep 0.01; done; kill $(cat process)"
    )
    #expect(killing.status == 0, "\(killing)")
    try await talk.terminal.see("status=143")
    try await talk.terminal.see("icanon")
    let modes = talk.terminal.lines.joined(separator: " ").split(separator: " ")
    #expect(modes.contains("icanon") && modes.contains("echo") && modes.contains("isig"))
  }

  @Test("a server that refuses the token ends the chat after the editor")
  func broken() async throws {
    let isRefusing = Flag()
    let talk = try await ChatTerminal(refusing: isRefusing)
    isRefusing.value = true
    let again = try await RunningServer.again(talk.server)
    try await again.wait { $0.requests.contains { $0.status == 401 } }
    try talk.home.write("", to: "go")
    try await talk.terminal.see("status=77")
    #expect(!talk.terminal.lines.contains { $0.contains("Terminated") })
  }

  /// A flag that a test sets and a server thread reads.
  private final class Flag: Sendable {
    private let state = Mutex(false)

    var value: Bool {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
  }
}
