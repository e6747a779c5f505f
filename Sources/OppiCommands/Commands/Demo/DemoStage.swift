// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// Runs commands in the demo's folders and shows them as they would be typed.
struct DemoStage: Sendable {
  private let context: Context
  private let tempo: DemoTempo

  init(context: Context, folder: String, tempo: DemoTempo) {
    self.context = context.relocated(to: folder)
    self.tempo = tempo
  }

  /// What the commands are told where nothing is to move.
  var plainly: [String] { tempo.isReadable ? [] : ["--plain"] }

  func perform(_ words: [String], shownAs line: String? = nil) async throws {
    let quoted = words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    let line = line ?? "oppi \(quoted)"
    var prompt = StyledText("$ ", .dim)
    prompt.append(line, .code)
    await context.console.status(prompt)
    guard case .run(let options, _, let work) = try OppiTable.tool.parse(words) else { return }
    let report = try await work(context.with(options))
    let lines = context.console.with(options).lines(of: report)
    try await context.console.print(
      .step(
        [DemoStep(at: context.now(), command: line, report: report).document],
        lines.isEmpty ? .nothing : .text(lines.joined(separator: "\n")),
        status: report.status
      )
    )
    if let failure = report.failure { throw failure }
    await context.console.status("")
    try await context.loop.sleep(for: tempo.step)
  }

  /// Allows the first tool call that an agent asks for, as the key a does in chat.
  func allowWhatIsAskedFor() async throws {
    let fleet = try context.fleet()
    guard let server = fleet.servers.first else { return }
    let api = try await context.connections.client(for: server)
    while true {
      try await context.loop.sleep(for: Self.glance)
      for (_, session) in await fleet.sessions().found {
        let deadline = context.loop.now + Fleet.limit
        let pending = try await api.pendingPermissions(sessionID: session.id, until: deadline)
        guard let request = pending.first else { continue }
        try await context.loop.sleep(for: tempo.thought)
        _ = try await api.decide(
          .allow,
          permissionID: request.id,
          until: context.loop.now + Fleet.limit
        )
        return
      }
    }
  }

  private static let glance = Duration.milliseconds(50)

  func say(_ text: String) async {
    await context.console.status(StyledText("# \(text)\n", .dim))
  }
}

/// How fast the demo goes.
struct DemoTempo: Sendable {
  /// Whether somebody is to read along.
  let isReadable: Bool

  /// Between two commands.
  var step: Duration { isReadable ? .milliseconds(1500) : .zero }
  /// Between two events of the agent.
  var event: Duration { isReadable ? .milliseconds(350) : .zero }
  /// Before a human answers.
  var thought: Duration { isReadable ? .milliseconds(3000) : .zero }
}

/// A command that the demo has performed.
struct DemoStep {
  let at: Timestamp
  let command: String
  let report: Report

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<DemoStep> = [
    .member("type", "The word command") { _ in "command" },
    .member("at", "When it was performed") { .string($0.at.iso8601) },
    .member("command", "The command as it would be typed") { .string($0.command) },
    .member("output", "What it prints as JSON") { $0.report.documents.first ?? .null },
  ]
}
