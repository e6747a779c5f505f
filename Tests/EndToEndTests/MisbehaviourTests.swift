// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@Suite(.fewAtOnce) struct MisbehaviourTests {
  /// A server's misbehaviour and the expected result of `oppi ask`.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var status: Int32
    /// The maximum number of prompts that reach the server.
    var prompts: Int
    var words: [String]
    var interceptor: Interceptor

    var testDescription: String { name }

    init(
      _ name: String,
      status: Int32,
      prompts: Int = 0,
      words: [String] = ["--timeout", "2s"],
      _ interceptor: @escaping Interceptor
    ) {
      (self.name, self.status, self.prompts) = (name, status, prompts)
      (self.words, self.interceptor) = (words, interceptor)
    }
  }

  @Test("each misbehaviour ends with its status and one clear line", arguments: cases)
  func misbehaviour(_ test: Case) async throws {
    let server = try await Line.multiplexedHTTP.start { configuration in
      let arm = Arm()
      configuration.interceptor = { step in
        arm.isArmed(at: step) ? test.interceptor(step) : .proceed
      }
    }
    let home = try Home()
    let pairing = try await home.oppi("pair", "-", input: server.makeInvite().json)
    try #require(pairing.status == 0, "\(pairing)")
    _ = try await home.oppi("workspaces")
    let credentials = try String(contentsOf: home.credentials, encoding: .utf8)
    let token = try #require(credentials.firstMatch(of: /dt_[A-Za-z0-9_-]+/)).output

    let outcome = try await home.oppi(["ask", "-w", "demo", "marked"] + test.words)
    #expect(outcome.status == test.status, "\(test.name)\n\(outcome)")
    if test.status != 0 {
      #expect(outcome.output.isEmpty, "\(outcome)")
      let lines = outcome.errorLines
      #expect(lines.count { $0.hasPrefix("oppi: ") } == 1, "\(outcome)")
      #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  hint: ") }, "\(outcome)")
    }
    #expect(!outcome.description.contains(token))
    #expect(
      outcome.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable },
      "\(outcome)"
    )
    #expect(server.prompts.count <= test.prompts, "\(test.name)")
    #expect(Set(server.prompts.map { $0.json["clientTurnId"].string }).count <= 1)
  }

  /// Lets the first two connections pass, those of `pair` and `workspaces`.
  private final class Arm: Sendable {
    private let firstBad = 3

    func isArmed(at step: Step) -> Bool { step.connection >= firstBad }
  }
}

extension Step {
  var connection: Int {
    switch self {
    case .accepted(let connection), .request(_, let connection), .opened(_, let connection),
      .message(_, let connection):
      connection
    case .handedOver: 0
    }
  }

  var isCreation: Bool {
    if case .request(let request, _) = self { request.method == "POST" } else { false }
  }

  var isUpgrade: Bool {
    if case .request(let request, _) = self { request.target == "/stream" } else { false }
  }

  func isMessage(_ type: String) -> Bool {
    if case .message(let json, _) = self { json["type"].string == type } else { false }
  }

  var message: JSONValue {
    if case .message(let json, _) = self { json } else { .null }
  }

  /// The `Sec-WebSocket-Accept` that fits the request's key.
  var accept: String {
    guard case .request(let request, _) = self else { return "" }
    return ClientHandshake.accept(forKey: request.headers["Sec-WebSocket-Key"] ?? "")
  }
}
