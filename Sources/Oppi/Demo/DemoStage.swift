// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// Runs commands in the demo's folders, and shows their command lines.
struct DemoStage: Sendable {
  private let context: Context
  private let tempo: DemoTempo

  init(context: Context, folder: String, tempo: DemoTempo) {
    self.context = context.relocated(to: folder)
    self.tempo = tempo
  }

  /// The option for commands that would show a live card.
  var plainly: [String] { tempo.isReadable ? [] : ["--plain"] }

  /// Runs a command without the program's name, and prints its output.
  ///
  /// `line` replaces the command line that is shown; `pause` replaces the tempo's step.
  ///
  /// - Throws: The command's failure.
  func perform(
    _ words: [String],
    shownAs line: String? = nil,
    pause: Duration? = nil
  ) async throws {
    let quoted = words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    let line = line ?? "oppi \(quoted)"
    var prompt = StyledText("$ ", .dim)
    prompt.append(line, .code)
    await context.output.status(prompt)
    guard case .run(let options, _, let work) = try OppiTable.tool.parse(words) else { return }
    let report = try await work(context.with(options))
    let lines = context.output.with(options).lines(of: report)
    try await context.output.print(
      .step(
        [DemoStep(at: context.now(), command: line, report: report).document],
        lines.isEmpty ? .nothing : .text(lines.joined(separator: "\n")),
        status: report.status
      )
    )
    await report.afterwards?()
    if let failure = report.failure { throw failure }
    await context.output.status("")
    try await context.loop.sleep(for: pause ?? tempo.step)
  }

  /// Waits for the dialog of the agent.
  ///
  /// - Throws: `OppiError` if no request arrives in time.
  func pendingRequest() async throws -> HumanRequest {
    let fleet = try context.fleet()
    let end = context.loop.now + Self.patience
    while context.loop.now < end {
      let queue = try await ApprovalQueue.ask(fleet, .requests, in: context.intents)
      if let row = queue.rows.first { return row.request }
      try await context.loop.sleep(for: Self.glance)
    }
    throw OppiError(.timedOut, "the demo agent did not ask anything")
  }

  /// The command that allows or refuses the request.
  static func reply(_ isAllowed: Bool, to request: HumanRequest) -> [String] {
    ["answer", request.id, isAllowed ? "Yes" : "No"]
  }

  /// Asks on the terminal whether the call may run; it may without a terminal, or without an answer
  /// in time.
  func decision() async throws -> Bool {
    guard tempo.isReadable, context.output.policy.destination.isInputTerminal else { return true }
    let seconds = tempo.thought.components.seconds
    do {
      let answer = try await context.answer(
        to: [StyledText("Allow the push?", .heading)],
        "[Y/n] (allowed in \(seconds) s) ",
        within: tempo.thought
      )
      return !["n", "no", "d", "deny"].contains(answer)
    } catch EventLoop.WaitError.timedOut {
      return true
    }
  }

  private static let glance = Duration.milliseconds(20)
  private static let patience = Duration.seconds(30)

  func say(_ text: String) async {
    await context.output.status(StyledText("# \(text)\n", .dim))
  }
}

struct DemoTempo: Sendable {
  /// Whether to pause so that a user can read.
  let isReadable: Bool

  /// After each command.
  var step: Duration { isReadable ? .milliseconds(1000) : .zero }
  /// Between two events of the agent.
  var event: Duration { isReadable ? .milliseconds(250) : .zero }
  /// Before the automatic approval.
  var thought: Duration { isReadable ? .seconds(10) : .zero }
}

struct DemoStep {
  let at: Timestamp
  let command: String
  let report: Report

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<DemoStep> = [
    .member("type", "Always command") { _ in "command" },
    .text("at", "When the command ran") { $0.at.iso8601 },
    .text("command", "The command line") { $0.command },
    .member("output", "The JSON output of the command") { $0.report.documents.first ?? .null },
  ]
}
