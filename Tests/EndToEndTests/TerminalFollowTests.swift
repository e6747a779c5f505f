// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// The last lines on a terminal after `oppi follow`.
@Suite(.fewAtOnce) struct TerminalFollowTests {
  @Test(
    "the answer stays after a turn, live or finished",
    .needs("script")
  )
  func answer() async throws {
    let (home, server) = try await Home.paired(.multiplexedHTTP)
    let id = try await home.session(asking: "silent")
    async let watching = home.shell(
      "TERM=xterm script -qec 'oppi follow -- \(id)' /dev/null </dev/null"
    )
    // The second stream is the watcher's.
    try await server.wait { $0.messages.count { $0.type == "subscribe" } == 2 }
    await server.releaseTool(inSession: id)
    let live = try await watching
    #expect(live.status == 0, "\(live)")
    let past = try await home.shell(
      "TERM=xterm script -qec 'oppi follow -- \(id)' /dev/null </dev/null"
    )
    #expect(past.status == 0, "\(past)")
    let last = try #require(
      try server.get(server.path(id)).json["trace"].array?.last?["text"].string
    )
    func lines(_ outcome: Outcome) -> [Substring] {
      outcome.output.split(whereSeparator: \.isNewline)
    }
    #expect(lines(past).last?.hasSuffix(last) == true, "\(past)")
    #expect(lines(live).contains { $0.hasSuffix(last) }, "\(live)")
    #expect(lines(live).contains { $0.contains("✓ Finished") }, "\(live)")
  }

  @Test("arguments that are not UTF-8 are rejected, and nothing is sent")
  func words() async throws {
    let (home, server) = try await Home.paired(.multiplexedHTTP)
    let outcome = try await home.shell(
      "oppi ask -w demo \"$(printf 'caf\\351')\"",
      shell: "/bin/bash"
    )
    #expect(outcome.status == 65, "\(outcome)")
    #expect(outcome.errorLines.count == 1, "\(outcome)")
    #expect(server.journal.messages.isEmpty)
  }
}
