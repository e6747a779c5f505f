// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// The environment of a flow: the user's files, the paired servers, other programs, the desktop and
/// time.
///
/// Flows know no command line and print nothing; they report through ``reporter``.
package struct IntentContext: Sendable {
  var environment: [String: String]
  var paths: XDGPaths
  let network: Network
  let files: FileStore
  let programs: any ProgramAccess
  var desktop: any DesktopAccess
  let workingDirectory: @Sendable () -> WorkingDirectory
  /// The path of this program, as it was called.
  let programPath: @Sendable () -> String
  let systemEnding = SystemEnding()
  /// The user's limit for a flow; `nil` for none.
  var timeout: Duration?
  var reporter: any IntentReporter
  /// The command that runs, such as `chat`.
  var surface = ""

  init(
    environment: [String: String],
    paths: XDGPaths,
    network: Network,
    files: FileStore,
    programs: any ProgramAccess,
    desktop: any DesktopAccess,
    workingDirectory: @escaping @Sendable () -> WorkingDirectory,
    programPath: @escaping @Sendable () -> String,
    timeout: Duration?,
    reporter: any IntentReporter
  ) {
    self.environment = environment
    self.paths = paths
    self.network = network
    self.files = files
    self.programs = programs
    self.desktop = desktop
    self.workingDirectory = workingDirectory
    self.programPath = programPath
    self.timeout = timeout
    self.reporter = reporter
  }

  /// A variable of the environment; `nil` if it is unset or empty.
  func nonEmpty(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  var loop: EventLoop { network.loop }

  func now() -> Timestamp { loop.timestamp() }
}

// MARK: - The user's files

extension IntentContext {
  var serverStore: ServerStore { ServerStore(paths: paths, files: files) }
  var credentials: CredentialStore {
    CredentialStore(
      paths: paths,
      environment: environment,
      files: files,
      learn: network.secrets.learn
    )
  }
  var accessTokens: AccessTokenStore {
    AccessTokenStore(paths: paths, files: files, learn: network.secrets.learn)
  }
  var lastUsed: LastUsedStore {
    LastUsedStore(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
  var messageHistory: RecordFile<MessageHistory> {
    RecordFile(
      paths.messageHistoryFile,
      in: files,
      limit: 2 << 20,
      .passing,
      reason: { _ in "messages is not a list" }
    )
  }
  var sentReplies: SentReplyLog { SentReplyLog(paths: paths, files: files) }
  var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths, files: files) }
  var config: ConfigFile { ConfigFile(paths: paths, files: files) }
  var shortcuts: ShortcutStore { ShortcutStore(paths: paths, files: files) }
  var shortcutSessions: RecordFile<KeyedRecords<ContinuedSession>> {
    RecordFile(paths.shortcutSessionsFile, in: files)
  }
  var spending: RecordFile<KeyedRecords<SpendingLedger>> {
    RecordFile(paths.spendingFile, in: files)
  }
  var conditions: ConditionStore { ConditionStore(paths: paths, files: files) }
  var history: AskHistoryFile {
    AskHistoryFile(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
  var schedules: ScheduleStore { ScheduleStore(paths: paths, files: files) }
  var runRequests: RunRequestStore {
    RunRequestStore(paths: paths, files: files)
  }
  var recentPicks: RecordFile<RecentPicks> {
    RecordFile(
      paths.recentPicksFile,
      in: files,
      limit: 1 << 20,
      .passing,
      reason: { _ in "picks is not a list" }
    )
  }
  var outbox: OutboxStore { OutboxStore(paths: paths, files: files) }
  /// The state of all sessions, written by a watching program for programs that do not query the
  /// servers.
  var statusFile: RecordFile<FleetStatus> { RecordFile(paths.statusFile, in: files, .passing) }
  /// The result of a command's last query, for completion.
  var lastSeenFile: RecordFile<FleetStatus> { RecordFile(paths.sessionsFile, in: files, .passing) }
  /// The results of ended turns: servers forget failures when a session ends.
  var turnsFile: RecordFile<EndedTurns> { RecordFile(paths.turnsFile, in: files, .passing) }
  var escalationFile: RecordFile<EscalationLedger> { RecordFile(paths.escalationsFile, in: files) }
  var modelCache: ModelCache { ModelCache(paths: paths, files: files) }
  var cache: WorkspaceCache {
    WorkspaceCache(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
}

// MARK: - The paired servers

extension IntentContext {
  var connections: Connections {
    Connections(
      network: network,
      credentials: credentials,
      tokens: accessTokens,
      servers: serverStore
    ) {
      ReplyRecorder(log: sentReplies, server: $0, surface: surface, reporter: reporter)
    }
  }
  var modelCatalog: ModelCatalog { ModelCatalog(cache: modelCache) }
  var workspaceQuery: WorkspaceQuery {
    WorkspaceQuery(connections: connections, cache: cache)
  }

  /// The limit for one answer of a server.
  var answerLimit: Duration { min(timeout ?? Fleet.limit, Fleet.limit) }

  /// A fleet that queries these servers concurrently, each within ``answerLimit`` by default.
  func fleet(of servers: [PairedServer], within limit: Duration? = nil) -> Fleet {
    Fleet(
      servers,
      connections: connections,
      within: limit ?? answerLimit,
      redetect: redetect
    )
  }
}

// MARK: - What servers speak

extension IntentContext {
  /// Asks a server what it offers, and stores its dialect and version.
  ///
  /// For a server whose version changed, or which lacks a route of its known dialect.
  ///
  /// - Returns: The server with its current dialect.
  /// - Throws: If the server cannot be queried, or is another one than was paired.
  func redetect(_ server: PairedServer) async throws(OppiError) -> PairedServer {
    let calls = try await connections.client(for: server).within(answerLimit)
    guard let info = try await calls.info() else { return server }
    var dialect = dialect(of: server, by: info)
    if dialect?.hasUnsureGate == true, try await !calls.hasGate() {
      dialect?.requests = .dialogs
    }
    return await remember(dialect, info.version, of: server)
  }

  /// Stores what a server reports of itself, if its version or its offers have changed.
  ///
  /// - Returns: The server with its current dialect.
  func remember(_ info: ServerInfo, of server: PairedServer) async -> PairedServer {
    guard server.dialect == nil || server.version != info.version else { return server }
    return await remember(dialect(of: server, by: info), info.version, of: server)
  }

  private func dialect(of server: PairedServer, by info: ServerInfo) -> Dialect? {
    let device = try? credentials.device(of: server.id)
    return .updated(
      server.dialect,
      by: info,
      credential: device?.deviceID == nil ? .bearer : .deviceKey
    )
  }

  private func remember(
    _ dialect: Dialect?,
    _ version: String?,
    of server: PairedServer
  ) async -> PairedServer {
    var current = server
    (current.dialect, current.version) = (dialect, version)
    guard current != server else { return server }
    do {
      try await serverStore.remember(dialect, version: version, of: server.id)
    } catch {
      // It is detected again the next time.
      await reporter.detail("could not store the dialect of \(server.name)", because: error)
    }
    return current
  }
}

// MARK: - The machine's schedulers

extension IntentContext {
  var tools: ToolRunner {
    ToolRunner(programs: programs, environment: environment, loop: loop)
  }
  var userManager: UserManager {
    UserManager(
      runtimeFolder: nonEmpty("XDG_RUNTIME_DIR"),
      paths: paths,
      files: files,
      tools: tools
    )
  }
  var crontab: CrontabProgram { CrontabProgram(tools: tools, files: files) }
}

extension IntentContext {
  var terminalWindow: TerminalWindow {
    TerminalWindow(environment: environment, programs: programs)
  }

  /// Opens a terminal window that runs another command of this program.
  ///
  /// - Parameters:
  ///   - words: The words of the command.
  ///   - remedy: A command for machines on which no window can be opened.
  /// - Returns: The program that opens the window.
  /// - Throws: `OppiError`; `TerminalWindow.Failure`.
  func openWindow(running words: [String], orElse remedy: String? = nil) throws -> String {
    guard let command = try terminalWindow.command(running: [programPath()] + words) else {
      throw OppiError(
        .badConfiguration,
        "no terminal program found to open a window",
        hints: ["set $TERMINAL"] + (remedy.map { ["or run: \($0)"] } ?? [])
      )
    }
    do {
      try programs.startDetached(command)
    } catch {
      throw OppiError(.badConfiguration, "cannot start \(command[0]): \(error)")
    }
    return command[0]
  }
}

/// Receives the messages of a running flow; its result is separate.
protocol IntentReporter: Sendable {
  /// Warns of a problem that does not stop the flow.
  func warn(_ message: String) async
  /// Reports what was done or skipped; suppressed by `--quiet`.
  func status(_ message: String) async
  /// Reports a step, for troubleshooting; shown only with `--verbose`.
  func detail(_ message: @autoclosure () -> String) async
  /// The error's code and one-line message.
  func reason(of error: any Error) -> FailureReason
}

extension IntentReporter {
  /// Warns of a problem with its cause: `MESSAGE: CAUSE`.
  func warn(_ message: String, because error: any Error) async {
    await warn("\(message): \(reason(of: error).message)")
  }

  /// Reports an error as a detail: `MESSAGE: CAUSE`.
  func detail(_ message: String, because error: any Error) async {
    await detail("\(message): \(reason(of: error).message)")
  }
}
