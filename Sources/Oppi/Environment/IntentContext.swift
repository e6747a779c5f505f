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
  var turnWords = TurnWords()
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
  var messageHistory: MessageHistoryFile { MessageHistoryFile(paths: paths, files: files) }
  var sentReplies: SentReplyLog { SentReplyLog(paths: paths, files: files) }
  var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths, files: files) }
  var config: ConfigFile { ConfigFile(paths: paths, files: files) }
  var shortcuts: ShortcutStore { ShortcutStore(paths: paths, files: files) }
  var shortcutSessions: ShortcutSessionStore {
    ShortcutSessionStore(paths: paths, files: files)
  }
  var spending: SpendingFile { SpendingFile(paths: paths, files: files) }
  var conditions: ConditionStore { ConditionStore(paths: paths, files: files) }
  var history: AskHistoryFile {
    AskHistoryFile(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
  var schedules: ScheduleStore { ScheduleStore(paths: paths, files: files) }
  var scheduleRequests: ScheduleRequestStore {
    ScheduleRequestStore(paths: paths, files: files)
  }
  var recentPicks: RecentPicks { RecentPicks(paths: paths, files: files) }
  var outbox: OutboxStore { OutboxStore(paths: paths, files: files) }
  var statusFile: StatusFile { StatusFile(paths: paths, files: files) }
  var lastSeenFile: StatusFile { .lastSeen(paths: paths, files: files) }
  var turnsFile: EndedTurnsFile { EndedTurnsFile(paths: paths, files: files) }
  var escalationFile: EscalationFile { EscalationFile(paths: paths, files: files) }
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
    WorkspaceQuery(connections: connections, cache: cache, now: now)
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
