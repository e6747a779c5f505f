// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiClient

/// Runs a test of commands in a new world, in virtual time.
///
/// The world has a server named studio with the workspaces demo and webapp, where an extension asks
/// before commands if the server itself does not. The home is paired with it by default.
func inWorld(
  _ dialect: Dialect = .deviceKeys,
  isPaired: Bool = true,
  _ change: (inout FakeServer.Configuration) -> Void = { _ in },
  _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
) {
  var configuration = FakeServer.Configuration()
  configuration.name = "studio"
  configuration.dialect = dialect
  configuration.gatesCommands = true
  change(&configuration)
  let (world, _) = World.play(seed: 1) { [configuration] world in
    try await body(world, try await world.addServer(configuration, isPaired: isPaired))
  }
  #expect(world.violations == [], "\(world.story.joined(separator: "\n"))")
}

/// As `inWorld` above, with one member of the server's configuration.
func inWorld<Value>(
  _ dialect: Dialect = .deviceKeys,
  isPaired: Bool = true,
  where member: WritableKeyPath<FakeServer.Configuration, Value>,
  is value: Value,
  _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
) {
  inWorld(dialect, isPaired: isPaired) {
    $0[keyPath: member] = value
  } _: { world, server in
    try await body(world, server)
  }
}

/// Runs the body in a world whose server can be disturbed.
func inTroubledWorld(
  _ dialect: Dialect = .deviceKeys,
  isPaired: Bool = true,
  _ change: (inout FakeServer.Configuration) -> Void = { _ in },
  _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
) {
  let trouble = Trouble()
  inWorld(dialect, isPaired: isPaired) {
    $0.interceptor = trouble.interceptor
    change(&$0)
  } _: { world, server in
    try await body(world, server, trouble)
  }
}

extension Dialect {
  /// The last servers with a gate of their own, which asks for approval of calls.
  static let gated = multiplexed

  /// The dialects of servers with a gate.
  static let both: [Dialect] = [.gated, .perSession]

  /// The dialects of servers that issue tokens to their owners.
  static let withTokens: [Dialect] = both + [.sessionSockets]

  /// The dialects of all servers.
  static let all: [Dialect] = withTokens + [.deviceKeys]
}

extension World {
  /// Runs a command line with pipes, checks that it leaves nothing open, and expects the exit status
  /// and the condition and a part of standard error if they are given.
  @discardableResult
  func oppi(
    _ words: String...,
    environment: [String: String] = [:],
    exits status: Int32? = nil,
    saying text: String? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ isExpected: (Program.Outcome) -> Bool = { _ in true }
  ) async -> Program.Outcome {
    await oppi(
      words,
      environment: environment,
      exits: status,
      saying: text,
      at: location,
      isExpected
    )
  }

  @discardableResult
  func oppi(
    _ words: [String],
    environment: [String: String] = [:],
    exits status: Int32? = nil,
    saying text: String? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ isExpected: (Program.Outcome) -> Bool = { _ in true }
  ) async -> Program.Outcome {
    let program = program(environment: environment)
    let outcome = await program.run(words)
    checkLeavings(of: program)
    let story: Comment = "\(words): \(outcome)"
    if let status {
      #expect(outcome.status == status, story, sourceLocation: location)
    }
    if let text {
      #expect(outcome.errors.contains(text), story, sourceLocation: location)
    }
    #expect(isExpected(outcome), story, sourceLocation: location)
    // Sentences that were joined without a look at their ends.
    for joint in [".:", ".;", "?;", "!;", "?.:", ",,", ";;"] {
      #expect(!outcome.errors.contains(joint), "\(outcome)", sourceLocation: location)
    }
    return outcome
  }

  /// Runs a command line whose output has a form; the terminal cannot move its cursor.
  func oppi(_ words: [String], as form: OutputForm) async throws -> Program.Outcome {
    switch form {
    case .json: await oppi(words + ["--json"])
    case .pipe: await oppi(words)
    case .terminal: try await start(words, columns: 160, environment: ["TERM": ""]).end()
    }
  }

  /// The file of the user's settings.
  static let configFile = "\(home)/.config/oppi/config.json"

  /// The paired server, as stored.
  var paired: PairedServer {
    get throws { try #require(try services.serverStore.load().servers.first) }
  }

  /// Adds a server with which the home is paired, besides the first one.
  func addServer(
    named name: String,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> VirtualServer {
    var configuration = FakeServer.Configuration()
    (configuration.name, configuration.dialect) = (name, .deviceKeys)
    configuration.gatesCommands = true
    change(&configuration)
    return try await addServer(configuration)
  }

  /// Starts a command line that runs concurrently with the test.
  func begin(_ words: String...) -> Task<Program.Outcome, Never> { begin(words) }

  func begin(_ words: [String]) -> Task<Program.Outcome, Never> {
    Task(executorPreference: loop) { [self] in await oppi(words) }
  }

  /// Starts a command line that runs until it is interrupted.
  func run(_ words: [String], environment: [String: String] = [:]) -> RunningProgram {
    let program = program(environment: environment)
    let outcome = Task(executorPreference: loop) { [self] in
      let outcome = await program.run(words)
      checkLeavings(of: program)
      return outcome
    }
    return RunningProgram(program: program, outcome: outcome)
  }

  func run(_ words: String...) -> RunningProgram { run(words) }

  /// Runs a command line and kills it after some time.
  func kill(_ words: [String], after time: Duration) async throws {
    let program = program()
    let run = Task(executorPreference: loop) { await program.run(words) }
    try await pass(time)
    program.kill()
    _ = await run.value
  }

  /// Waits while agents and servers run.
  func pass(_ time: Duration = .seconds(5)) async throws {
    try await loop.sleep(for: time)
  }

  /// Creates a session in the first workspace with a prompt, and waits 5 s.
  func session(asking prompt: String) async throws -> String {
    let outcome = await oppi("ask", "-q", "-w", "demo", "--", prompt)
    try #require(outcome.status == 0, "\(outcome)")
    try await pass()
    return try #require(outcome.lines.first)
  }
}

/// A program that runs until it is interrupted.
struct RunningProgram {
  let program: Program
  let outcome: Task<Program.Outcome, Never>

  func interrupt() { program.interrupt() }

  /// Interrupts it, and waits for its end.
  func end() async -> Program.Outcome {
    interrupt()
    return await outcome.value
  }
}

extension VirtualTerminal {
  /// Waits for the program's end, and expects its exit status.
  @discardableResult
  func end(
    exits status: Int32,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Program.Outcome {
    let outcome = try await end()
    #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
    return outcome
  }
}

extension Program.Outcome {
  /// The output as a single JSON value; `null` if it is not a single value.
  var json: JSONValue { jsonLines.count == 1 ? jsonLines[0] : .null }

  /// The output as a JSON value for each line; `null` for a line without JSON.
  var jsonLines: [JSONValue] { lines.map(JSONValue.init(line:)) }

  /// The error object on the last line of standard error, in a run with `--json`.
  var error: JSONValue { JSONValue(line: errorLines.last ?? "")["error"] }

  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

extension JSONValue {
  fileprivate init(line: String) {
    self = (try? JSONValue(parsing: Array(line.utf8))) ?? .null
  }
}

extension VirtualServer {
  /// The prompts that agents ran, in order.
  var heard: [String] { runs.map(\.text) }

  /// The number of requests for a new session.
  var sessionsMade: Int {
    requests.count { $0.method == "POST" && $0.path.hasSuffix("/sessions") }
  }

  /// The number of deleted sessions.
  var sessionsRemoved: Int {
    requests.count { $0.method == "DELETE" && $0.status == 200 }
  }

  /// The number of requests for a stream.
  var streams: Int { requests.count { $0.path.hasSuffix("/stream") } }

  /// The number of decisions sent over REST.
  var decisions: Int { requests.count { $0.path.hasSuffix("/respond") } + commands.count }

  /// The bodies of the commands that were sent over REST, in order.
  var commands: [JSONValue] {
    requests.filter { $0.path.hasSuffix("/command") }
      .map { (try? JSONValue(parsing: $0.body)) ?? .null }
  }

  /// The types of the messages that carry prompts, in order.
  var deliveries: [String] {
    messages.compactMap(\.type).filter { ["prompt", "follow_up", "steer"].contains($0) }
  }
}

/// Server behaviour that a test can switch on and off.
final class Trouble: Sendable {
  private let answer = Mutex<(@Sendable (Step) -> Intervention)?>(nil)

  /// The interceptor for the server's configuration.
  var interceptor: Interceptor { { [self] step in answer.withLock { $0 }?(step) ?? .proceed } }

  func begin(_ answer: @escaping @Sendable (Step) -> Intervention) {
    self.answer.withLock { $0 = answer }
  }

  func end() { answer.withLock { $0 = nil } }

  /// Intervenes in the requests for a path with the suffix; the others proceed.
  func at(_ path: String, _ intervention: Intervention) {
    begin { $0.isRequest(path) ? intervention : .proceed }
  }

  /// Intervenes in the first requests for a path with the suffix; the later ones proceed.
  func first(_ interventions: [Intervention], at path: String) {
    let rest = Mutex(interventions[...])
    begin { step in
      guard step.isRequest(path) else { return .proceed }
      return rest.withLock { $0.popFirst() } ?? .proceed
    }
  }

  /// Lists tool calls as pending.
  func pending(_ calls: JSONValue...) { at("/pending", .pending(calls)) }

  /// Lists dialogs as pending in each session.
  func dialogs(_ dialogs: JSONValue...) { at("/dialogs", .dialogs(dialogs)) }

  /// Has a prompt performed, and loses its answer and all that follows.
  func losePrompt() {
    let isSent = Atomic(false)
    begin { step in
      guard !step.isPrompt else {
        isSent.store(true, ordering: .relaxed)
        return .performThenDrop
      }
      return isSent.load(ordering: .relaxed) ? .drop : .proceed
    }
  }
}

extension Intervention {
  /// The answer with these pending tool calls.
  static func pending(_ calls: [JSONValue]) -> Intervention {
    .answer(json: ["pending": .array(calls), "serverTime": 1])
  }

  /// The answer with these pending dialogs of a session.
  static func dialogs(_ dialogs: [JSONValue]) -> Intervention {
    .answer(json: ["dialogs": .array(dialogs), "serverNow": 1])
  }
}

extension JSONValue {
  /// A tool call as a server with a gate lists it, without a deadline.
  static func call(_ id: String, in session: String = "S", _ command: String) -> JSONValue {
    [
      "id": .string(id), "sessionId": .string(session), "tool": "bash",
      "input": ["command": .string(command)] as JSONValue, "displaySummary": .string(command),
      "timeoutAt": 1, "expires": false,
    ]
  }
}

extension Step {
  var isRequest: Bool { if case .request = self { true } else { false } }

  /// Whether it is a request for a path with the suffix.
  func isRequest(_ suffix: String) -> Bool {
    if case .request(let request, _) = self { request.target.hasSuffix(suffix) } else { false }
  }

  /// Whether it brings a prompt, as a message or with the creation of its session.
  var isPrompt: Bool {
    guard case .request(let request, _) = self else { return isMessage("prompt") }
    return isRequest("/sessions")
      && (try? JSONValue(parsing: request.body))?["prompt"].string != nil
  }

  func isMessage(_ type: String) -> Bool {
    if case .message(let json, _) = self { json["type"].string == type } else { false }
  }
}

extension String {
  var wordsOfRow: [String] { split(separator: " ").map(String.init) }
}
