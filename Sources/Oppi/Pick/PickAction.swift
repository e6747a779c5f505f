// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// Carries out a choice.
struct PickAction {
  /// `nil` if no further menu is needed.
  let runner: MenuRunner?
  let isEditing: Bool
  let desktop: DesktopOutcome.When
  let context: Context

  func perform(_ choice: PickChoice) async throws -> Report {
    switch choice {
    case .workspace(let workspace): try await ask(in: workspace)
    case .session(let server, let session): try await follow(session, on: server)
    case .shortcut(let row): try await run(row)
    case .approval(let id, _, _): try await decide(id)
    }
  }

  private var outcome: DesktopOutcome { DesktopOutcome(command: "pick", context: context) }

  // MARK: - Asking

  private func ask(in workspace: ServerWorkspace) async throws -> Report {
    let isHere = context.output.policy.destination.isConversation
    if isEditing, !isHere {
      return try await outcome.value(desktop) {
        let name = PickChoice.workspace(workspace).name
        return try open(["pick", "--edit", "--gui=always", "--workspace=\(name)"])
      }
    }
    return try await outcome.notifying(desktop) {
      let prompt = try await prompt(in: workspace)
      let order = AskOrder(Prompt(prompt), in: .workspace(workspace))
      var report = try await Ask.send(order, try await Config.load(in: context), in: context)
      // Text typed in a menu is in no shell history.
      if let failure = report.failure, failure.code.status != .deliveryUnknown,
        let last = (try? context.history.entries())?.first, last.prompt == prompt, !last.isCut
      {
        report.failure?.hints.append("the prompt is saved; resend it with: oppi ask --again")
      }
      return report
    }
  }

  private func prompt(in workspace: ServerWorkspace) async throws -> String {
    guard isEditing else { return try await text("Prompt for \(workspace.qualifiedName)") }
    let text = try await Editor.edit("", environment: context.environment, on: context.loop)
    guard !text.allSatisfy(\.isWhitespace) else {
      throw OppiError(.interrupted, "the prompt is empty; nothing was sent")
    }
    return text
  }

  private func text(_ prompt: String) async throws -> String {
    guard let runner else { throw OppiError(.usage, "no menu program available for text input") }
    return try await runner.text(prompt.safeLine(limit: 60))
  }

  // MARK: - Following

  private func follow(_ session: SessionStatus, on server: PairedServer) async throws -> Report {
    let name = server.qualified(session.id)
    if context.output.policy.destination.isConversation {
      var options = Follow.Options()
      options.session = try SessionName(argument: name)
      return try await Follow.run(options, in: context)
    }
    return try await outcome.value(desktop) { try open(["chat", "--session=\(name)"]) }
  }

  /// Continues as another command of this program, in a terminal window; `remedy` is a command for
  /// machines without one.
  private func open(_ words: [String], orElse remedy: String? = nil) throws -> Report {
    let program = try context.services.openWindow(running: words, orElse: remedy)
    return Report(.object([:]), status: StyledText("opening with \(program)"))
  }

  // MARK: - Running

  private func run(_ row: NamedShortcut) async throws -> Report {
    try await outcome.notifying(desktop) {
      var options = try await options(for: row)
      options.name = row.name
      return try await Run.run(options, in: context)
    }
  }

  /// The options of a run; asks for the values one after another.
  private func options(for row: NamedShortcut) async throws -> Run.Options {
    guard !row.shortcut.readsInput else {
      throw OppiError(
        .usage,
        "cannot run shortcut \(row.name.text) from a menu: it reads standard input",
        hints: ["run it with input: ... | oppi run \(row.name.text)"]
      )
    }
    var options = Run.Options()
    // The outcome is shown here.
    options.desktop = .never
    for name in row.needed {
      let value = try await text("\(row.name.text): \(name)")
      options.values.append(try TemplateValue(argument: "\(name)=\(value)"))
    }
    return options
  }

  // MARK: - Deciding

  private func decide(_ id: ListedRequest.ID) async throws -> Report {
    var options = context.options
    options.server = id.serverID.text
    let own = context.with(options)
    let (row, reply) = try await outcome.value(desktop) {
      let row = try await ApprovalQueue.ask(own.fleet(), in: context.services).request(withID: id)
      guard let runner else { return (row, nil as RequestReply?) }
      let menu = ApprovalMenu(row, in: runner.sight)
      return (row, try await menu.reply(from: runner, on: context.loop))
    }
    guard let reply else { return try await read(row, in: own) }
    return try await outcome.notifying(desktop) {
      await Decisions([(reply, row)], in: context).report
    }
  }

  /// Shows the whole request in a terminal; `own` is the context of its server.
  private func read(_ row: ListedRequest, in own: Context) async throws -> Report {
    if context.output.policy.destination.isConversation {
      var options = ApprovalsShow.Options()
      options.id = try RequestName(argument: row.request.id)
      return try await ApprovalsShow.run(options, in: own)
    }
    return try await outcome.value(desktop) {
      guard let session = row.request.sessionID else {
        throw OppiError.requestGone(id: row.request.id)
      }
      let reading = "oppi approvals show \(ShellWords.quoted(row.request.id))"
      return try open(["chat", "--session=\(row.server)/\(session)"], orElse: reading)
    }
  }
}
