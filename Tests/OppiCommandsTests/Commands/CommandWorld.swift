// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import LoopbackServer
import OppiModel
import Simulation
import Synchronization
import Testing

/// Plays a test of commands in a world of its own, in virtual time: a server called studio with the
/// workspaces demo and webapp, with which the home is paired unless it is said otherwise.
func inWorld(
  _ dialect: PairedServer.Dialect = .multiplexed,
  isPaired: Bool = true,
  _ change: (inout LoopbackServer.Configuration) -> Void = { _ in },
  _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
) {
  var configuration = LoopbackServer.Configuration()
  configuration.name = "studio"
  configuration.dialect = dialect
  change(&configuration)
  let (world, _) = World.play(seed: 1) { [configuration] world in
    try await body(world, try await world.addServer(configuration, isPaired: isPaired))
  }
  #expect(world.violations == [], "\(world.story.joined(separator: "\n"))")
}

extension PairedServer.Dialect {
  /// The present one and the older one.
  static let both: [PairedServer.Dialect] = [.multiplexed, .perSession]
}

extension World {
  /// Runs a command line with pipes to its end, which must leave nothing open behind.
  func oppi(
    _ words: String...,
    environment: [String: String] = [:]
  ) async -> Program.Outcome {
    await oppi(words, environment: environment)
  }

  /// Runs a command line with pipes to its end, which must leave nothing open behind.
  func oppi(
    _ words: [String],
    environment: [String: String] = [:]
  ) async -> Program.Outcome {
    let program = program(environment: environment)
    let outcome = await program.run(words)
    checkLeavings(of: program)
    return outcome
  }

  /// Starts a command line that goes on beside the test.
  func begin(_ words: String...) -> Task<Program.Outcome, Never> {
    Task(executorPreference: loop) { [self] in await oppi(words) }
  }

  /// Lets time pass, in which agents do what they can.
  func pass(_ time: Duration = .seconds(5)) async throws {
    try await loop.sleep(for: time)
  }

  /// A session in the first workspace that was given a prompt a while ago.
  func session(asking prompt: String) async throws -> String {
    let outcome = await oppi("ask", "-q", "-w", "demo", "--", prompt)
    try #require(outcome.status == 0, "\(outcome)")
    try await pass()
    return try #require(outcome.lines.first)
  }
}

extension Program.Outcome {
  /// The output as one JSON value; `null` where it is not that.
  var json: JSONValue { jsonLines.count == 1 ? jsonLines[0] : .null }

  /// The output as one JSON value a line; `null` for a line that is none.
  var jsonLines: [JSONValue] { lines.map(JSONValue.init(line:)) }

  /// The error object that stands on the last line of standard error where JSON was asked for.
  var error: JSONValue { JSONValue(line: errorLines.last ?? "")["error"] }

  /// The lines of standard error.
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

extension JSONValue {
  fileprivate init(line: String) {
    self = (try? JSONValue(parsing: Array(line.utf8))) ?? .null
  }
}

extension VirtualServer {
  /// The prompts that agents heard, in order.
  var heard: [String] { runs.map(\.text) }

  /// How often a session was asked for.
  var sessionsMade: Int {
    requests.count { $0.method == "POST" && $0.path.hasSuffix("/sessions") }
  }

  /// How often a session was removed.
  var sessionsRemoved: Int {
    requests.count { $0.method == "DELETE" && $0.status == 200 }
  }

  /// How often a stream was asked for.
  var streams: Int { requests.count { $0.path.hasSuffix("/stream") } }

  /// How often a request for approval was answered.
  var decisions: Int { requests.count { $0.path.hasSuffix("/respond") } }

  /// The kinds of the messages that carry prompts, in order.
  var deliveries: [String] {
    messages.compactMap(\.type).filter { ["prompt", "follow_up", "steer"].contains($0) }
  }
}

/// What a server does in place of the right thing, from a moment on.
final class Trouble: Sendable {
  private let answer = Mutex<(@Sendable (Step) -> Intervention)?>(nil)

  /// The server's behaviour, for its configuration.
  var interceptor: Interceptor { { [self] step in answer.withLock { $0 }?(step) ?? .proceed } }

  func begin(_ answer: @escaping @Sendable (Step) -> Intervention) {
    self.answer.withLock { $0 = answer }
  }

  func end() { answer.withLock { $0 = nil } }
}

extension Step {
  var isRequest: Bool { if case .request = self { true } else { false } }

  /// Whether it is a request for a path that ends so.
  func isRequest(_ suffix: String) -> Bool {
    if case .request(let request, _) = self { request.target.hasSuffix(suffix) } else { false }
  }

  func isMessage(_ type: String) -> Bool {
    if case .message(let json, _) = self { json["type"].string == type } else { false }
  }
}

extension String {
  /// What stands between the spaces of a row on a screen.
  var wordsOfRow: [String] { split(separator: " ").map(String.init) }
}
