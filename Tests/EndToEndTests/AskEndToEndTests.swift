// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiText
import OppiTransport
import OppiWire
import TestSupport
import Testing

/// The two stream dialects, over plain TCP and over pinned TLS.
enum Line: CaseIterable, Sendable {
  case multiplexedHTTP
  case multiplexedTLS
  case perSessionHTTP
  case perSessionTLS

  var dialect: Dialect {
    switch self {
    case .multiplexedHTTP, .multiplexedTLS: .multiplexed
    case .perSessionHTTP, .perSessionTLS: .perSession
    }
  }

  /// The lines that can run here: the TLS lines need openssl for their certificates.
  static var available: [Line] { allCases.filter { !$0.isTLS || has("openssl") } }

  var isTLS: Bool { self == .multiplexedTLS || self == .perSessionTLS }

  func start(
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> RunningServer {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.dialect = dialect
    if isTLS {
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
  /// A model that the server knows.
  private static let model = "anthropic/claude-sonnet-4-6"

  @Test(
    "a prompt arrives once, and the stream is closed in order",
    arguments: Line.available
  )
  func mainJob(line: Line) async throws {
    let server = try await line.start { $0.limits.loadedSessionsPerWorkspace = 20 }
    let home = try Home()
    let pairing = try await home.oppi("pair", "-", input: server.makeInvite().url, exits: 0)
    #expect(pairing.output == "\(server.fingerprint.text)\n")
    let list = try await home.oppi("workspaces", "--json")
    let workspaces = try #require(try list.json()["workspaces"] as? [[String: Any]])
    #expect(workspaces.compactMap { $0["name"] as? String } == ["demo", "webapp"])
    let id = try #require(workspaces[0]["id"] as? String)

    for (name, words) in [
      ("by id", ["-w", id]), ("by server and name", ["-w", "studio/demo"]),
      ("by prefix", ["-w", "de"]),
      ("by arrow", ["-w", "studio → demo"]),
    ] {
      let outcome = try await home.oppi(["ask"] + words + [name], exits: 0)
      #expect(outcome.errors == "Pi is working on it in demo\n")
      #expect(outcome.outputLines.count == 1)
    }
    try await home.oppi("ask", "-w", "demo", "-", input: "by stdin\n", exits: 0)
    #expect(server.texts == ["by id", "by server and name", "by prefix", "by arrow", "by stdin"])
    let journal = try await server.wait { $0.endedConnections == $0.connections }
    // The program exits without waiting until the server has read its last bytes.
    #expect(journal.closeCodes.allSatisfy { $0 == 1000 }, "\(journal.closeCodes)")
    #expect(!server.journal.messages.contains { $0.type == "set_thinking_level" })
  }

  @Test(
    "an image is uploaded over TLS with a device key",
    .enabled(if: has("openssl"))
  )
  func upload() async throws {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.tls = try TLSContext.selfSigned()
    configuration.certificatePin = configuration.tls?.certificatePin
    let server = try FakeServer.start(configuration)
    let home = try Home()
    try await home.oppi("pair", "-", input: server.makeInvite().url, exits: 0)
    let image =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 3 << 20)
    try Data(image).write(to: home.folder.appending(path: "a.png"))
    try await home.oppi("ask", "-w", "demo", "--image", "a.png", "--wait", "empty", exits: 1)
    let puts = server.journal.requests.filter { $0.method == "PUT" }
    #expect(puts.count == 1 && puts.first?.body == image && puts.first?.status == 200)
    #expect(server.journal.runs.map { $0.text.contains("image-1.png: ") } == [true])
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
    let server = try await Line.multiplexedHTTP.start()
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
