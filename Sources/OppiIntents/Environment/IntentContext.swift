// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem
package import OppiTransport

/// The environment of a flow: the user's files, the paired servers, other programs, the desktop and
/// time.
///
/// Flows know no command line and print nothing; they report through ``reporter``.
package struct IntentContext: Sendable {
  package var environment: [String: String]
  package var paths: XDGPaths
  package let network: Network
  package let files: FileStore
  package let programs: any ProgramAccess
  package var desktop: any DesktopAccess
  package let workingDirectory: @Sendable () -> WorkingDirectory
  /// The path of this program, as it was called.
  package let programPath: @Sendable () -> String
  package let systemEnding = SystemEnding()
  /// The user's limit for a flow; `nil` for none.
  package var timeout: Duration?
  package var reporter: any IntentReporter
  package var turnWords = TurnWords()
  /// The command that runs, such as `chat`.
  package var surface = ""

  package init(
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
  package func nonEmpty(_ variable: String) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  package var loop: EventLoop { network.loop }

  package func now() -> Timestamp { loop.timestamp() }
}

// MARK: - The user's files

extension IntentContext {
  package var serverStore: ServerStore { ServerStore(paths: paths, files: files) }
  package var credentials: CredentialStore {
    CredentialStore(
      paths: paths,
      environment: environment,
      files: files,
      learn: network.secrets.learn
    )
  }
  package var accessTokens: AccessTokenStore {
    AccessTokenStore(paths: paths, files: files, learn: network.secrets.learn)
  }
  package var lastUsed: LastUsedStore {
    LastUsedStore(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
  package var messageHistory: MessageHistoryFile { MessageHistoryFile(paths: paths, files: files) }
  package var sentReplies: SentReplyLog { SentReplyLog(paths: paths, files: files) }
  package var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths, files: files) }
  package var config: ConfigFile { ConfigFile(paths: paths, files: files) }
  package var shortcuts: ShortcutStore { ShortcutStore(paths: paths, files: files) }
  package var shortcutSessions: ShortcutSessionStore {
    ShortcutSessionStore(paths: paths, files: files)
  }
  package var spending: SpendingFile { SpendingFile(paths: paths, files: files) }
  package var conditions: ConditionStore { ConditionStore(paths: paths, files: files) }
  package var history: AskHistoryFile {
    AskHistoryFile(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
  package var schedules: ScheduleStore { ScheduleStore(paths: paths, files: files) }
  package var scheduleRequests: ScheduleRequestStore {
    ScheduleRequestStore(paths: paths, files: files)
  }
  package var recentPicks: RecentPicks { RecentPicks(paths: paths, files: files) }
  package var outbox: OutboxStore { OutboxStore(paths: paths, files: files) }
  package var statusFile: StatusFile { StatusFile(paths: paths, files: files) }
  package var lastSeenFile: StatusFile { .lastSeen(paths: paths, files: files) }
  package var turnsFile: EndedTurnsFile { EndedTurnsFile(paths: paths, files: files) }
  package var escalationFile: EscalationFile { EscalationFile(paths: paths, files: files) }
  package var modelCache: ModelCache { ModelCache(paths: paths, files: files) }
  package var cache: WorkspaceCache {
    WorkspaceCache(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
}

// MARK: - The paired servers

extension IntentContext {
  package var connections: Connections {
    Connections(
      network: network,
      credentials: credentials,
      tokens: accessTokens,
      servers: serverStore
    ) {
      ReplyRecorder(log: sentReplies, server: $0, surface: surface, reporter: reporter)
    }
  }
  package var modelCatalog: ModelCatalog { ModelCatalog(cache: modelCache) }
  package var workspaceQuery: WorkspaceQuery {
    WorkspaceQuery(connections: connections, cache: cache, now: now)
  }

  /// The limit for one answer of a server.
  package var answerLimit: Duration { min(timeout ?? Fleet.limit, Fleet.limit) }

  /// A fleet that queries these servers concurrently, each within ``answerLimit`` by default.
  package func fleet(of servers: [PairedServer], within limit: Duration? = nil) -> Fleet {
    Fleet(
      servers,
      connections: connections,
      within: limit ?? answerLimit,
      redetect: redetect
    )
  }
}
