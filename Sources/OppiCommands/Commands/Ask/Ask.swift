// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi ask`: fires a prompt into a workspace.
enum Ask {
  struct Options: Sendable, Equatable {
    var workspaces: [String] = []
    var model: String?
    var thinking: ThinkingLevel?
    var session: SessionName?
    var file: String?
    var images: [String] = []
    var name: String?
    var isDryRun = false
    var prompt: [String] = []
  }

  static let command = CommandSpec<Context>(
    "ask",
    "Fire a prompt into a workspace",
    discussion: """
      Makes a session, hands it the prompt, waits until the server has taken it (10 s at most, or \
      --timeout), and prints the session's id. The agent then works without this machine.

      A workspace is named by its composite id, by server/workspace, by its name or id where only \
      one server has it, or by the beginning of its name; see 'oppi help workspaces'.

      The words of the prompt are joined by spaces. Put -- before a prompt that begins with a \
      hyphen. Standard input is read only for - .
      """,
    examples: [
      CommandExample("oppi ask -w api 'fix the failing test'", "Ask in the workspace api"),
      CommandExample("git diff | oppi ask -w api -t high -", "Ask with text from another program"),
      CommandExample("oppi ask -s last 'and now the docs'", "Go on in the session used last"),
      CommandExample("oppi ask -w api -w web --json 'update deps'", "Ask in two, answer as JSON"),
    ],
    exitStatuses: [0, 1, 6, 64, 65, 66, 69, 75, 76, 77, 78],
    group: Group.asking,
    options: Options(),
    arguments: [
      .option(
        "workspace",
        short: "w",
        placeholder: "WORKSPACE",
        completion: .dynamic("workspace"),
        \.workspaces,
        "Ask in this workspace"
      ),
      .option("model", short: "m", placeholder: "MODEL", \.model, "Use this model"),
      .option("thinking", short: "t", placeholder: "LEVEL", \.thinking, "Think so hard"),
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
        \.session,
        "Go on in this session"
      ),
      .option(
        "file",
        short: "F",
        placeholder: "FILE",
        completion: .file,
        \.file,
        "Read the prompt from FILE, - for standard input"
      ),
      .option(
        "image",
        placeholder: "FILE",
        completion: .file,
        \.images,
        "Send this picture along"
      ),
      .option("name", \.name, "Give the new session this title"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, send nothing"),
      .positional("prompt", \.prompt, "The prompt, or - for standard input"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if options.session != nil {
      let newOnly = [
        ("--workspace", !options.workspaces.isEmpty), ("--model", options.model != nil),
        ("--name", options.name != nil),
      ]
      if let (flag, _) = newOnly.first(where: \.1) {
        throw UsageError(.contradiction("\(flag) is for a new session, --session for an old one"))
      }
    }
    if options.file != nil, !options.prompt.isEmpty {
      throw UsageError(.contradiction("the prompt comes from --file or from the command line"))
    }
    if options.file == nil, options.prompt.isEmpty {
      throw UsageError(.custom("no prompt"), hint: "give it as words, with -F FILE, or - for stdin")
    }
  }

  static func run(_ options: Options, in context: Context) async throws {
    let prompt = try await AskInput.prompt(options, in: context)
    let images = try AskInput.images(options)
    let targets = try await AskTargets.resolve(options, in: context)
    let requests = targets.map { target in
      AskRequest(
        target: target,
        prompt: prompt,
        images: images,
        model: options.model,
        thinking: options.thinking,
        name: options.name,
        clientTurnID: context.newID()
      )
    }
    if options.isDryRun {
      for request in requests { try AskReport(request).printDryRun(on: context.console) }
      return
    }
    guard requests.count > 1 else {
      return try await ask(requests[0], isOnlyOne: true, in: context)
    }
    try await askAll(requests, in: context)
  }

  /// Asks in several workspaces at the same time; one that fails leaves the others alone.
  private static func askAll(_ requests: [AskRequest], in context: Context) async throws {
    let errors: [any Error] = await withTaskGroup(of: (any Error)?.self) { group in
      for request in requests {
        group.addTask {
          do {
            try await ask(request, isOnlyOne: false, in: context)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { errors, error in
        if let error { errors.append(error) }
      }
    }
    if errors.contains(where: { $0 is ReaderGone }) { throw ReaderGone() }
    let reported: [OppiError] = errors.map { OppiError($0) }
    for error in reported { context.console.report(error) }
    // An unknown delivery must not hide behind a failure that is safe to repeat.
    let worst = reported.first { $0.code == .deliveryUnknown } ?? reported.first
    if let worst { throw ReportedStatus(status: worst.code.status) }
  }

  private static func ask(
    _ request: AskRequest,
    isOnlyOne: Bool,
    in context: Context
  ) async throws {
    let start = ContinuousClock.now
    let report = AskReport(request)
    let server = request.target.server
    context.console.detail("asking \(report.targetName) at \(server.endpoint)")
    let outcome: AskOutcome
    do throws(AskFailure) {
      outcome = try await perform(request, in: context)
    } catch {
      var error = OppiError(error, clientTurnID: request.clientTurnID)
      if !isOnlyOne { error.message = "\(report.targetName): \(error.message)" }
      throw error
    }
    context.console.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    try report.print(
      outcome,
      elapsed: ContinuousClock.now - start,
      isOnlyOne: isOnlyOne,
      on: context.console
    )
    remember(outcome, of: request, in: context)
  }

  private static func perform(
    _ request: AskRequest,
    in context: Context
  ) async throws(AskFailure) -> AskOutcome {
    let client: IntentAPIClient
    do {
      client = try await context.connections.client(for: request.target.server)
    } catch {
      throw AskFailure(error, .notSent)
    }
    var limits = AskLimits()
    if let timeout = context.options.timeout {
      limits.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    return try await AskPi(api: client, limits: limits, newID: context.newID).perform(request)
  }

  /// What was learned for the next time; the prompt is delivered whether it can be kept or not.
  private static func remember(
    _ outcome: AskOutcome,
    of request: AskRequest,
    in context: Context
  ) {
    let server = request.target.server
    if server.dialect != outcome.dialect {
      try? context.serverStore.update { contents in
        for index in contents.servers.indices where contents.servers[index].id == server.id {
          contents.servers[index].dialect = outcome.dialect
        }
      }
    }
    guard let workspaceID = outcome.workspaceID,
      let workspace = WorkspaceReference(serverID: server.id, workspaceID: workspaceID)
    else { return }
    try? context.lastUsed.store(.init(workspace: workspace, sessionID: outcome.sessionID))
  }
}
