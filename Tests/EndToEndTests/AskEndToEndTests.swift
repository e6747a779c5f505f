// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiText
import OppiTransport
import OppiWire
import TestSupport
import Testing

/// An older stream dialect over plain TCP, or over pinned TLS.
enum Line: CaseIterable, Sendable {
  case multiplexed
  case perSession
  case encrypted

  static let plain: [Line] = [.multiplexed, .perSession]

  /// The lines that can run here: certificates need openssl.
  static var available: [Line] { has("openssl") ? allCases : plain }

  func start(
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> RunningServer {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.dialect = self == .perSession ? .perSession : .multiplexed
    if self == .encrypted {
      configuration.tls = try TLSContext.selfSigned()
      configuration.certificatePin = configuration.tls?.certificatePin
    }
    change(&configuration)
    return try FakeServer.start(configuration)
  }
}

extension RunningServer {
  var prompts: [Journal.Message] {
    journal.messages.filter { $0.type == "prompt" || $0.type == "follow_up" }
  }

  var texts: [String?] { prompts.map { $0.json["message"].string } }
}

@Suite(.fewAtOnce) struct AskEndToEndTests {
  @Test(
    "a prompt arrives once, and the stream is closed in order",
    arguments: Line.available
  )
  func mainJob(line: Line) async throws {
    let server = try await line.start()
    let home = try Home()
    let pairing = try await home.oppi("pair", "-", input: server.makeInvite().url, exits: 0)
    #expect(pairing.output == "\(server.fingerprint.text)\n")
    let outcome = try await home.oppi("ask", "-w", "studio/demo", "by words", exits: 0)
    #expect(outcome.errors == "Pi is working on it in demo\n")
    #expect(outcome.outputLines.count == 1)
    try await home.oppi("ask", "-w", "demo", "-", input: "by stdin\n", exits: 0)
    #expect(server.texts == ["by words", "by stdin"])
    let journal = try await server.wait { $0.endedConnections == $0.connections }
    // The program exits without waiting until the server has read its last bytes.
    #expect(journal.closeCodes.allSatisfy { $0 == 1000 }, "\(journal.closeCodes)")
    #expect(!server.journal.messages.contains { $0.type == "set_thinking_level" })
  }

  @Test("a hundred concurrent asks create a hundred sessions and damage no file")
  func hundredAtOnce() async throws {
    let (home, server) = try await Home.paired { configuration in
      configuration.limits.loadedSessions = 1000
      configuration.limits.loadedSessionsPerWorkspace = 1000
    }
    let outcome = try await home.shell(
      """
      oppi workspaces >/dev/null
      for i in $(seq 100); do oppi ask --timeout 60 -q -w demo "prompt $i" & done
      wait
      """
    )
    let ids = Set(outcome.outputLines)
    #expect(ids.count == 100, "\(outcome)")
    #expect(outcome.errors.isEmpty, "\(outcome)")
    #expect(Set(server.texts).count == 100)
    #expect(server.prompts.count == 100)
    let list = try await home.oppi("servers", "list", "--json")
    #expect((try list.json()["servers"] as? [Any])?.count == 1, "\(list)")
    let last = try await home.oppi("ask", "-n", "-s", "last", "--json", "x")
    #expect(ids.contains(Substring(try last.json()["sessionId"] as? String ?? "")), "\(last)")
  }

  @Test("the token is in the credential file and nowhere else")
  func tokenIsPrivate() async throws {
    let server = try await Line.multiplexed.start()
    let home = try Home()
    let pairing = try await home.oppi("pair", "-v", "-", input: server.makeInvite().json)
    let ask = try await home.oppi("ask", "-v", "-w", "demo", "hi")
    let credentials = try String(contentsOf: home.credentials, encoding: .utf8)
    let token = try #require(credentials.firstMatch(of: /dt_[A-Za-z0-9_-]+/)).output
    let attributes = try FileManager.default.attributesOfItem(atPath: home.credentials.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    for text in [pairing.description, ask.description, try home.textOfOtherFiles()] {
      #expect(!text.contains(token))
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644],
      ofItemAtPath: home.credentials.path
    )
    let refused = try await home.oppi("ask", "-w", "demo", "hi", exits: 78)
    #expect(refused.errors.contains("chmod 600"))
    #expect(server.prompts.count == 1)
  }
}
