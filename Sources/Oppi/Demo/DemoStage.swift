// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

/// Runs commands in the demo's folders, and shows their command lines.
struct DemoStage: Sendable {
  private let context: Context
  /// Whether to pause so that a user can read.
  private let isReadable: Bool

  init(context: Context, folder: String, isReadable: Bool) {
    self.context = context.relocated(to: folder)
    self.isReadable = isReadable
  }

  /// The pause between two events of the agent.
  static func pace(isReadable: Bool) -> Duration { isReadable ? .milliseconds(250) : .zero }
  /// The time before the automatic approval.
  private static let thought = Duration.seconds(10)

  /// The option for commands that would show a live card.
  var plainly: [String] { isReadable ? [] : ["--plain"] }

  /// Runs a command without the program's name, and prints its output.
  ///
  /// `line` replaces the command line that is shown; `pause` replaces the one after the command.
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
    try await context.loop.sleep(for: pause ?? (isReadable ? .seconds(1) : .zero))
  }

  /// Waits for the dialog of the agent.
  ///
  /// - Throws: `OppiError` if no request arrives in time.
  func pendingRequest() async throws -> HumanRequest {
    let fleet = try context.fleet()
    let end = context.loop.now + Self.timeout
    while context.loop.now < end {
      let queue = try await ApprovalQueue.ask(fleet, .requests, in: context.services)
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
    guard isReadable, context.output.policy.destination.isInputTerminal else { return true }
    do {
      let answer = try await context.answer(
        to: [StyledText("Allow the push?", .heading)],
        "[Y/n] (allowed in \(Self.thought.components.seconds) s) ",
        within: Self.thought
      )
      return !["n", "no", "d", "deny"].contains(answer)
    } catch EventLoop.WaitError.timedOut {
      return true
    }
  }

  private static let glance = Duration.milliseconds(20)
  private static let timeout = Duration.seconds(30)

  func say(_ text: String) async {
    await context.output.status(StyledText("# \(text)\n", .dim))
  }
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
