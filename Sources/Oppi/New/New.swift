// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// `oppi new`: saves a launch target and opens the app.
enum New {
  struct Options: Sendable, Equatable {
    var workspace: String?
    var printsTarget = false
    var desktop = DesktopOutcome.When.auto
  }

  static let command: Command = Command(
    "new",
    "Open a new session",
    discussion: """
      Saves the workspace as the launch target and opens the app, which creates the session: the \
      program of the setting 'app.command', else 'oppi launch' in this terminal, else in a \
      terminal window (xdg-terminal-exec, $TERMINAL, x-terminal-emulator).

      Without -w it uses the default workspace, else the last one ('oppi help workspaces'). A \
      cached workspace needs no network, so a hotkey responds at once.
      """,
    examples: [
      ("oppi new", "Open a session in the default workspace, else in the last one"),
      ("oppi new -w studio/api --print-target", "Save and print the launch target"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Open the session in this workspace"),
      .desktop(\.desktop),
      .flag("print-target", \.printsTarget, "Print the target as JSON without opening the app"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DesktopOutcome(command: "new", context: context).notifying(options.desktop) {
      try await open(options, in: context)
    }
  }

  private static func open(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    let workspace = try await context.workspaceToOpen(option: options.workspace, settings)
    let target = LaunchTarget(workspace: workspace, timestamp: context.now())
    try context.launchTargets.write(target)
    let document = shape.document(of: target)
    if options.printsTarget { return Report(document, .text(document.text())) }
    return Report(document, status: StyledText(try openApp(by: settings, in: context)))
  }

  private static let shape: JSONShape<LaunchTarget> = [
    .text("serverId", "The server's identity") { $0.workspace.serverID.text },
    .text("workspaceId", "The workspace's id on the server") { $0.workspace.workspaceID },
    .text("timestamp", "When the target was saved, in UTC") { $0.timestamp.iso8601 },
  ]
}

/// `oppi launch`: creates the session for `oppi new`.
enum Launch {
  struct Options: Sendable, Equatable {
    var printsSession = false
  }

  static let command: Command = Command(
    "launch",
    "Create the session for 'oppi new'",
    discussion: """
      Creates the session in the workspace of the launch target, and opens it in a chat. A target \
      is used only once, even by two simultaneous launches. A target older than 60 s is discarded.
      """,
    examples: [
      ("oppi launch --print", "Create the session for another app")
    ],
    exitStatuses: [0, 6, 64, 65, 66, 69, 75, 76, 77, 78],
    members: Chat.End.shape.rows,
    group: Group.asking,
    isListed: false,
    options: Options(),
    arguments: [
      .flag("print", \.printsSession, "Print the session id without opening a chat")
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    // Without a terminal, the command must not use up the target.
    if !options.printsSession { try context.requireTerminal() }
    let store = context.launchTargets
    for abandoned in store.takeAbandoned(at: context.now()) {
      switch abandoned {
      case .success(let target):
        let workspace = target.workspace.workspaceID
        await context.output.warn("an earlier launch in \(workspace) did not create its session")
      case .failure(let error):
        let why = OppiError(error).message
        await context.output.warn("an earlier launch did not create its session: \(why)")
      }
    }
    // If it cannot be read, it cannot be restored either.
    let lastUsed = try? context.history.lastUsed()
    let opening = try context.openNewSession()
    let settings = try await Config.load(in: context)
    let claim = try opening.claim(from: store)
    let own = try await context.settings(settings, in: claim.target.workspace)
    let chatSettings = try ChatSettings(own)
    let session = try await opening.open(in: claim.target.workspace, chatSettings)
    claim.settle()
    guard options.printsSession else {
      return try await Chat.talk(
        in: session,
        created: (chatSettings, lastUsed),
        settings,
        context
      )
    }
    return Report(Chat.End.shape.document(of: Chat.End(session: session)), .text(session.id))
  }
}

// MARK: - The app, which claims the launch target

extension New {
  private static let setAppCommand = "oppi config set app.command 'PROGRAM ARGUMENT...'"

  /// Opens the app, and returns a line about how.
  private static func openApp(
    by settings: ConfigFile.Settings,
    in context: Context
  ) throws -> String {
    if let app: ProgramLine = try settings.value(of: .appCommand) {
      return try start(app.words, in: context)
    }
    if context.output.policy.destination.isConversation {
      let name = context.programName
      let options = context.options.isAccessible ? ["--accessible"] : []
      let failure = Program.become(["launch"] + options, as: name)
      throw OppiError(.ioFailed, "cannot run '\(name) launch': \(failure)")
    }
    let window = context.terminalWindow
    guard let command = try window.command(running: [context.programPath(), "launch"]) else {
      throw OppiError(
        .badConfiguration,
        "no terminal found to open the session in; the launch target is valid for 60 s",
        hints: ["set $TERMINAL, or: \(setAppCommand)"]
      )
    }
    return try start(command, in: context)
  }

  private static func start(_ command: [String], in context: Context) throws -> String {
    do {
      try context.programs.startDetached(command)
    } catch {
      throw OppiError(
        .badConfiguration,
        "cannot start \(command[0]): \(error)",
        hints: ["change it with: \(setAppCommand)"]
      )
    }
    return "opening with \(command[0])"
  }
}
