// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
package import OppiSystem
package import OppiTransport

/// Everything of the world that a command may touch.
package struct Context: Sendable {
  package private(set) var console: Console
  package private(set) var options: GlobalOptions
  package private(set) var environment: [String: String]
  /// What the program is called on the command line.
  package let programName: String
  package private(set) var paths: XDGPaths
  package let network: Network
  private let disk: any Disk
  private let process: ProcessIdentity
  /// The terminal that the command was started on, to be taken over where there is one.
  let terminal: any TerminalAccess
  /// The ways to tell the user something beside it.
  private(set) var desktop: any DesktopAccess
  /// The other programs of the machine.
  let programs: any ProgramAccess
  /// Whether standard input is a pipe with data that nobody has asked for.
  let hasUnreadInput: @Sendable () -> Bool
  /// The folder that the program was started in.
  let workingDirectory: @Sendable () -> WorkingDirectory
  /// Where this program is, as it was called.
  let programPath: @Sendable () -> String
  let systemEnding = SystemEnding()

  /// Takes a world: the one that the process runs in unless it is said otherwise.
  package init(
    console: Console,
    options: GlobalOptions,
    environment: [String: String],
    programName: String = Oppi.name,
    paths: XDGPaths,
    network: Network,
    disk: any Disk = SystemDisk(),
    process: ProcessIdentity = .current,
    terminal: any TerminalAccess = ProcessTerminal(),
    desktop: (any DesktopAccess)? = nil,
    programs: (any ProgramAccess)? = nil,
    hasUnreadInput: @escaping @Sendable () -> Bool = Input.isUnreadPipe,
    workingDirectory: (@Sendable () -> WorkingDirectory)? = nil,
    programPath: @escaping @Sendable () -> String = Program.ownPath
  ) {
    self.console = console
    self.options = options
    self.environment = environment
    self.programName = programName
    self.paths = paths
    self.network = network
    self.disk = disk
    self.process = process
    self.terminal = terminal
    self.desktop = desktop ?? Desktop(environment: environment)
    self.programs = programs ?? SystemPrograms(environment: environment)
    self.hasUnreadInput = hasUnreadInput
    self.workingDirectory = workingDirectory ?? { .current(environment: environment) }
    self.programPath = programPath
  }

  /// The same with other global options.
  func with(_ options: GlobalOptions) -> Context {
    var context = self
    context.console = console.with(options)
    context.options = options
    return context
  }

  /// The same with output for people, whatever was asked for.
  var inWords: Context {
    var options = options
    options.isJSON = false
    return with(options)
  }

  /// The same with the desktop of the user's login, where the environment leads to none.
  var ofLogin: Context {
    var context = self
    context.desktop = desktop.ofLogin
    return context
  }

  /// The same with all files in one folder, and without what the environment says of oppi.
  func relocated(to folder: String) -> Context {
    var context = self
    context.environment = environment.filter {
      !$0.key.hasPrefix("OPPI_") && $0.key != "CREDENTIALS_DIRECTORY"
    }
    context.paths = XDGPaths(environment: [:], home: folder)
    return context
  }

  var loop: EventLoop { network.loop }
  var files: FileStore { FileStore(loop: loop, disk: disk, process: process) }
  var serverStore: ServerStore { ServerStore(paths: paths, files: files) }
  var credentials: CredentialStore {
    CredentialStore(paths: paths, environment: environment, files: files)
  }
  var connections: Connections { Connections(network: network, credentials: credentials) }
  var lastUsed: LastUsedStore {
    LastUsedStore(paths: paths, files: files) { [console] in await console.warn($0) }
  }
  var messageHistory: MessageHistoryFile { MessageHistoryFile(paths: paths, files: files) }
  var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths, files: files) }
  var config: ConfigFile { ConfigFile(paths: paths, files: files) }
  var shortcuts: ShortcutStore { ShortcutStore(paths: paths, files: files) }
  var shortcutSessions: ShortcutSessionStore { ShortcutSessionStore(paths: paths, files: files) }
  var history: AskHistoryFile {
    AskHistoryFile(paths: paths, files: files) { [console] in await console.warn($0) }
  }
  var schedules: ScheduleStore { ScheduleStore(paths: paths, files: files) }
  var recentPicks: RecentPicks { RecentPicks(paths: paths, files: files) }
  var outbox: OutboxStore { OutboxStore(paths: paths, files: files) }
  /// What tries to deliver the prompts of the outbox.
  var deliverQueued: DeliverQueued {
    DeliverQueued(
      outbox,
      connections: connections,
      models: modelCatalog,
      servers: serverStore,
      conversations: shortcutSessions,
      timeout: options.timeout
    ) { failure in
      let error = OppiError(failure)
      return QueuedPrompt.Reason(code: error.code.rawValue, message: error.message)
    }
  }
  var statusFile: StatusFile { StatusFile(paths: paths, files: files) }
  var lastSeenFile: StatusFile { .lastSeen(paths: paths, files: files) }
  var turnsFile: EndedTurnsFile { EndedTurnsFile(paths: paths, files: files) }
  var modelCache: ModelCache { ModelCache(paths: paths, files: files) }
  var modelCatalog: ModelCatalog { ModelCatalog(cache: modelCache) }
  var cache: WorkspaceCache {
    WorkspaceCache(paths: paths, files: files) { [console] in await console.warn($0) }
  }

  var workspaceQuery: WorkspaceQuery {
    WorkspaceQuery(connections: connections, cache: cache, now: now)
  }

  /// The paired servers that the command is about: all, or the one of `--server`.
  func servers() throws -> [PairedServer] {
    let all = try serverStore.load().servers
    guard let name = serverChoice else { return all }
    do {
      return [try all.named(name)]
    } catch {
      throw OppiError(error).tracing(
        options.server == nil ? .variable(Self.serverVariable) : .option("--server")
      )
    }
  }

  /// The one server that is meant; `nil` for all.
  var serverChoice: String? { options.server ?? nonEmpty(Self.serverVariable) }

  private static let serverVariable = "OPPI_SERVER"

  /// The servers that the command is about, to be asked all at once.
  func fleet() throws -> Fleet { fleet(of: try servers()) }

  /// The servers to be asked about one workspace, or about all where no word names one.
  ///
  /// - Throws: Where nothing is paired, or no workspace is of that name.
  func fleet(
    inWorkspace word: String?
  ) async throws -> (fleet: Fleet, workspace: ServerWorkspace?) {
    let servers = try servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    let workspace = try await workspace(named: word)
    return (fleet(of: workspace.map { [$0.server] } ?? servers), workspace)
  }

  /// Some servers, to be asked all at once.
  func fleet(of servers: [PairedServer]) -> Fleet {
    Fleet(servers, connections: connections, within: answerLimit)
  }

  /// How long a server may take for one answer.
  var answerLimit: Duration { min(options.timeout ?? Fleet.limit, Fleet.limit) }

  /// Finds workspaces on the servers that the command is about.
  func workspaces() throws -> WorkspaceResolver {
    WorkspaceResolver(servers: try servers(), query: workspaceQuery, limit: answerLimit)
  }

  /// The workspace that `--workspace` names; `nil` where it names none.
  func workspace(named word: String?) async throws -> ServerWorkspace? {
    guard let word else { return nil }
    do {
      return try await workspaces().resolve(word)
    } catch {
      throw OppiError(error).tracing(.option("--workspace"))
    }
  }

  /// Finds sessions on the servers that the command is about.
  func sessions() throws -> SessionResolver {
    SessionResolver(try fleet(), lastUsed: lastUsed)
  }

  /// The session that a user names: `last`, an id or the start of one, or `server/` before these.
  func session(named name: SessionName) async throws -> ServerSession {
    try await sessions().resolve(name.text)
  }

  /// A variable of the environment, `nil` where it is unset or empty.
  func nonEmpty(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Context {
  /// The present moment.
  func now() -> Timestamp { loop.timestamp() }

  /// What opens a session on any of the paired servers.
  func openNewSession() throws -> OpenNewSession {
    OpenNewSession(
      servers: try serverStore.load().servers,
      query: workspaceQuery,
      connections: connections,
      models: modelCatalog,
      lastUsed: lastUsed,
      timeout: options.timeout
    ) { [console] error, sessionID in
      let why = OppiError(error).message
      await console.warn("could not record \(sessionID) as the last session: \(why)")
    }
  }
}

extension Context {
  /// Which session it is, and where, for whoever looks at it.
  func introduction(of session: ServerSession) async -> StyledText {
    var name = session.workspaceName
    if name == nil, let id = session.workspaceID {
      name = await cache.load()[session.server.id]?.workspaces.first { $0.id == id }?.name ?? id
    }
    let workspace = name.map { " in \($0.safeLine(limit: 120))" } ?? ""
    return StyledText("Session \(session.id)\(workspace) on \(session.server.name)")
  }
}
