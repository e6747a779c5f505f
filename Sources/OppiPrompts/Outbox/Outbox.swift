// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
package import OppiSystem
package import OppiTerminal
package import OppiText
package import OppiWire

/// `oppi outbox`: the queued prompts.
package enum Outbox {
  package static let command: Command = Command(
    "outbox",
    "Show and manage queued prompts",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      OutboxList.command, OutboxShow.command, OutboxFlushCommand.command, OutboxRetry.command,
      OutboxDrop.command,
    ]
  )

  /// The options of a command for one prompt.
  struct OnePrompt: Sendable, Equatable {
    @Required var key: OutboxKey

    static let arguments: [Argument<OnePrompt>] = [
      .positional("key", completion: .names(of: .outbox), \.$key, "The prompt's key")
    ]
  }
}

enum OutboxList {
  struct Options: Sendable, Equatable {
    var isComplete = false
  }

  static let command: Command = Command(
    "list",
    "List queued prompts and failed deliveries",
    discussion: """
      A prompt is in one of these states:

        outbox     not sent yet; delivery is retried when the server is available
        checking   sent, but not confirmed; the server is being checked
        failed     refused by the server or the agent; it did not run
        expired    not delivered within --expires; it was not sent
        unknown    it may have run; it is not resent automatically
        delivered  the server accepted it; --all shows the last 30 days

      Failed, expired and unknown prompts stay until 'oppi outbox retry' or 'oppi outbox drop'.

      In a pipe each line has, separated by tabs: key, state, server/workspace (or \
      server/session), session, time queued, expiry time, reason, and prompt.
      """,
    examples: [
      ("oppi outbox", "List queued prompts"),
      ("oppi outbox | awk '$2 == \"unknown\"'", "List prompts whose delivery is unknown"),
    ],
    options: Options(),
    arguments: [.flag("all", \.isComplete, "Also list delivered prompts")],
    run: run
  )
  .listing([QueuedPromptRow.list])

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let only = context.serverChoice == nil ? nil : try context.servers().first?.id
    let (rows, damages) = try context.services.outboxRows(
      isComplete: options.isComplete,
      on: only
    )
    return QueuedPromptRow.list.report(
      rows,
      in: context,
      status: rows.isEmpty && damages.isEmpty ? "the outbox is empty" : nil,
      notes: damages.dropFirst().map { .warning($0.message) },
      failure: damages.first
    )
  }
}

extension Services {
  /// Returns the prompts of the outbox, oldest first, and why others cannot be read.
  ///
  /// `isComplete` is whether to include delivered prompts with nothing left to do; `server` is the only
  /// one whose prompts are returned, `nil` for all.
  ///
  /// - Throws: `FileError` if the outbox cannot be listed.
  package func outboxRows(
    isComplete: Bool = false,
    on server: Fingerprint? = nil
  ) throws(FileError) -> (rows: [QueuedPromptRow], damages: [OppiError]) {
    var rows: [QueuedPromptRow] = []
    var damages: [OppiError] = []
    let now = now()
    for key in try outbox.keys() {
      do {
        guard var prompt = try outbox.load(key) else { continue }
        // Shown as expired even before its file records it.
        prompt.expire(at: now)
        guard server == nil || server == prompt.target.serverID else { continue }
        guard isComplete || !prompt.state.isDelivered || !prompt.isDone else { continue }
        rows.append(QueuedPromptRow(prompt: prompt, now: now))
      } catch {
        damages.append(OppiError(error))
      }
    }
    rows.sort { ($0.prompt.createdAt, $0.prompt.key) < ($1.prompt.createdAt, $1.prompt.key) }
    return (rows, damages)
  }
}

enum OutboxShow {
  static let command: Command = Command(
    "show",
    "Show the full text and state of a prompt",
    exitStatuses: [0, 64, 66, 74, 78],
    members: QueuedPromptRow.shape.rows,
    options: Outbox.OnePrompt(),
    arguments: Outbox.OnePrompt.arguments,
    run: run
  )

  static func run(_ options: Outbox.OnePrompt, in context: Context) async throws -> Report {
    var prompt = try context.outbox.existing(options.key)
    prompt.expire(at: context.now())
    let row = QueuedPromptRow(prompt: prompt, now: context.now())
    return Report(row.document, .page { row.page })
  }
}

extension QueuedPromptRow {
  /// Its fields and its whole text.
  package var page: [StyledText] {
    let text = prompt.content.text.safeBlock()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return fields + (text.isEmpty ? [] : [StyledText("")] + lines.map { StyledText(String($0)) })
  }

  /// Its fields, one per line.
  private var fields: [StyledText] {
    let images = prompt.content.images.count
    let fields: [(String, StyledText)] = [
      ("key", StyledText(prompt.key.text, .name)), ("state", stateText),
      ("to", StyledText(place)), ("session", StyledText(session)),
      ("queued", StyledText(prompt.createdAt.iso8601)),
      ("expires", StyledText(prompt.expiresAt?.iso8601 ?? "")),
      ("attempts", StyledText(prompt.attempts == 0 ? "" : String(prompt.attempts))),
      ("retry", StyledText(prompt.retryAt?.iso8601 ?? "")),
      ("reason", StyledText(prompt.reason?.message ?? "")),
      ("model", StyledText(prompt.content.model ?? "")),
      ("thinking", StyledText(prompt.content.thinking?.rawValue ?? "")),
      ("images", StyledText(images == 0 ? "" : String(images))),
    ]
    return fields.filter { !$0.1.plain.isEmpty }.map { label, value in
      let padding = String(repeating: " ", count: 10 - label.count)
      return StyledText(label + padding, .dim).with(value)
    }
  }
}

enum OutboxRetry {
  static let command: Command = Command(
    "retry",
    "Resend a failed, expired or unknown prompt",
    discussion: """
      The prompt is sent as a new one, in a new session if it was for a new session. A prompt \
      whose delivery is unknown may run a second time: check its session first. To deliver a \
      prompt that is still queued, use 'oppi outbox flush'.
      """,
    exitStatuses: [0, 1, 6, 64, 65, 66, 69, 74, 75, 76, 77, 78],
    members: FlushLine.shape.rows,
    options: Outbox.OnePrompt(),
    arguments: Outbox.OnePrompt.arguments,
    run: run
  )

  static func run(_ options: Outbox.OnePrompt, in context: Context) async throws -> Report {
    let step = try await context.services.retryPrompt(context.outbox.existing(options.key).key)
    let line = FlushLine(step: step, at: context.now())
    try await context.output.print(line.report)
    return .end(failure: line.failure)
  }
}

enum OutboxDrop {
  struct Options: Sendable, Equatable {
    var keys: [OutboxKey] = []
    var isClearing = false
  }

  static let command: Command = Command(
    "drop",
    "Remove prompts from the outbox without sending them",
    discussion: """
      A prompt that was already sent is not recalled: see 'oppi stop'. A prompt that is being \
      delivered is not dropped.
      """,
    examples: [
      ("oppi outbox drop --done", "Drop failed, expired and unknown prompts")
    ],
    exitStatuses: [0, 64, 65, 66, 74, 75, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .flag("done", \.isClearing, "Drop all failed, expired and unknown prompts"),
      .positional("key", completion: .names(of: .outbox), \.keys, "The prompts' keys"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isClearing == options.keys.isEmpty else {
        throw UsageError(.custom("give the keys of prompts, or --done"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var dropped: [QueuedPromptRow] = []
    var (failures, damaged): ([OppiError], [OutboxKey]) = ([], [])
    let keys = options.isClearing ? try context.outbox.keys() : options.keys
    for key in keys {
      do {
        let prompt = try await context.services.dropPrompt(key, onlyIfFailed: options.isClearing)
        guard let prompt else {
          if !options.isClearing { damaged.append(key) }
          continue
        }
        dropped.append(QueuedPromptRow(prompt: prompt, now: context.now()))
      } catch {
        failures.append(OppiError(error))
      }
    }
    let (rows, count) = (dropped, dropped.count + damaged.count)
    let notes = damaged.map { "\($0) was damaged and is removed" }
    return Report(
      shape.document(of: rows),
      status: count == 0 && !failures.isEmpty
        ? nil : StyledText("dropped \(count.counted("prompt"))"),
      notes: (notes + failures.dropFirst().map(\.message)).map { .warning($0) },
      failure: failures.first
    )
  }

  private static let shape: JSONShape<[QueuedPromptRow]> = [
    .list("dropped", "The dropped prompts", QueuedPromptRow.shape) { $0 }
  ]
}

extension QueuedPrompt {
  /// `server/workspace`, or `server/session` for a session.
  package var place: String {
    let name = target.sessionID ?? target.workspaceName ?? target.workspaceID ?? ""
    return "\(target.serverName)/\(name)"
  }

  package var mark: StatusMark {
    switch state {
    case .waiting: StatusMark("○", state.word)
    case .departed, .launched: StatusMark("▶", state.word, .accent)
    case .delivered: StatusMark("✓", state.word, .success)
    case .expired: StatusMark("✗", state.word, .dim)
    case .failed: StatusMark("✗", state.word, .error)
    case .unknown: StatusMark("?", state.word, .unknown)
    }
  }
}

/// A queued prompt as a row of text or JSON.
package struct QueuedPromptRow: Sendable {
  package let prompt: QueuedPrompt
  package let now: Timestamp

  package init(prompt: QueuedPrompt, now: Timestamp) { (self.prompt, self.now) = (prompt, now) }

  package var place: String { prompt.place }

  var stateText: StyledText { StyledText(prompt.mark.word, prompt.mark.style) }

  /// The time of the next attempt, the expiry and the reason.
  package var note: String {
    var words: [String] = []
    if case .waiting(let retryAt?) = prompt.state, retryAt > now {
      words.append("retry in \(RelativeTime.age(seconds: now.age(at: retryAt)))")
    }
    if prompt.isHeldBack(at: now), let notBefore = prompt.notBefore {
      words.append("sent after \(notBefore.iso8601)")
    }
    if prompt.isOpen, let expiresAt = prompt.expiresAt, expiresAt > now {
      words.append("expires \(expiresAt.iso8601)")
    }
    if let reason = prompt.reason { words.append(reason.message) }
    return words.joined(separator: "; ")
  }

  var session: String { prompt.session.map { "\(prompt.target.serverName)/\($0)" } ?? "" }

  // MARK: - JSON

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<QueuedPromptRow> = [
    .text("key", "Its key") { $0.prompt.key.text },
    .text(
      "state",
      "outbox (queued), checking (sent, but not confirmed), delivered, failed, "
        + "expired or unknown"
    ) { $0.prompt.state.word },
    .text("prompt", "The text; empty once it is delivered") { $0.prompt.content.text },
    .number("images", "The number of images") { $0.prompt.content.images.count },
    .text("model", "The model of the new session; null for the workspace's default") {
      $0.prompt.content.model ?? $0.prompt.defaults.model
    },
    .text("thinking", "The thinking level of the session, or null") {
      ($0.prompt.content.thinking ?? $0.prompt.defaults.thinking)?.rawValue
    },
    .workspace { row in
      let target = row.prompt.target
      return WorkspaceLabel(
        serverID: target.serverID,
        id: target.workspaceID,
        name: target.workspaceName
      )
    },
    .server(id: { $0.prompt.target.serverID }, name: { $0.prompt.target.serverName }),
    .text("sessionId", "Its session, or null") { $0.prompt.session },
    .text("shortcut", "The shortcut whose session it continues, or null") {
      $0.prompt.content.conversation
    },
    .text("createdAt", "When it was queued") { $0.prompt.createdAt.iso8601 },
    .number("ageSeconds", "Its age") { $0.prompt.createdAt.age(at: $0.now) },
    .text("expiresAt", "When it expires, or null") { $0.prompt.expiresAt?.iso8601 },
    .number("attempts", "The number of delivery attempts") { $0.prompt.attempts },
    .text("retryAt", "When delivery is retried, or null") { $0.prompt.retryAt?.iso8601 },
    .text("notBefore", "The reset of the usage limit before which it is not sent, or null") {
      $0.prompt.isHeldBack(at: $0.now) ? $0.prompt.notBefore?.iso8601 : nil
    },
    .object("reason", "Why it is not delivered", reasonShape) { $0.prompt.reason },
    .bool("endsSession", "Whether its session is ended after the turn") { $0.prompt.endsSession },
  ]

  static let reasonShape: JSONShape<FailureReason> = [
    .text("code", "The error code") { $0.code },
    .text("message", "The error message") { $0.message },
  ]

  // MARK: - The list

  static let list = Listing<QueuedPromptRow>(
    "outbox",
    formerly: "prompts",
    "The prompts in the outbox, oldest first",
    shape,
    columns: [
      .text("KEY", .detail(2), .name) { $0.prompt.key.text },
      .cell("STATE", .kept) { row, _ in row.stateText },
      .text("PLACE", .context) { $0.place },
      .age(.detail(1)) { $0.prompt.createdAt },
      .text("PROMPT", .decides) { $0.prompt.content.text.safeLine(limit: 60) },
      .text("NOTE", .decides, .dim) { $0.note },
    ],
    pipe: [
      "key", "state", .text { $0.place }, .text { $0.session }, "createdAt", "expiresAt",
      "reason.message", .text { $0.prompt.content.text.safeLine(limit: 2000) },
    ]
  )
}
