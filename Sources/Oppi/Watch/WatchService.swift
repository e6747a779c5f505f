// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiWire

/// Watches the sessions of all paired servers and reports events.
struct WatchService {
  /// What an event changes in the watch.
  typealias Update = @Sendable (inout WatchService) async throws -> Void
  /// Work outside the event loop of the watch; returns what its result changes.
  typealias Job = @Sendable () async -> Update
  /// The servers to watch, as they are paired now.
  typealias Servers = @Sendable () throws -> [PairedServer]

  /// How often to check for expiring requests, quiet hours and changes of the settings and the server
  /// list.
  static let tick = Duration.seconds(5)
  /// How often to search for a desktop, which may start later than the watch.
  static let desktopPause = Duration.seconds(30)

  var rules: WatchRules
  /// The settings that the rules were made from.
  var settings: WatchSettings?
  /// The lines to print.
  let lines = Mailbox<Report>()
  let context: Services
  private let reporter: WatchReporter
  private let manager: ServiceManager
  let pairedNow: Servers
  /// The servers that are watched.
  var paired: [PairedServer] = []
  var fleet = FleetStatus(at: Timestamp(milliseconds: 0), servers: [])
  /// The pending requests by server and id.
  var requests: [Fingerprint: [String: [HumanRequest]]] = [:]
  var alerts = AlertTracker()
  var desktop = WatchDesktop()
  /// The requests with a reply of a button under way.
  var pressed: [WatchDesktop.Offer] = []
  /// Sessions with a decision whose result is unknown; a request still pending at the next query is
  /// shown again.
  var unsettled: Set<SessionID> = []
  var outbox = WatchOutbox()
  var escalation = WatchEscalation()
  /// The results of ended turns, as last stored.
  var turns = EndedTurns()
  var line: DesktopLine?
  var isSeeking = false
  /// The last reported reason for having no desktop.
  var lostBecause: DesktopError?
  var soughtAt: EventLoop.Instant?
  private var snapshot = WatchSnapshot()
  private var aliveAt: EventLoop.Instant?
  private var isReady = false
  var troubles: [Fingerprint: String] = [:]
  /// The last error of reading the list of paired servers.
  var listTrouble: String?
  /// The last error of reading the settings.
  var settingsTrouble: String?
  /// The jobs to begin after the current event.
  var jobs: [Job] = []
  private let begin: EventLoop.Instant
  private let events: AsyncStream<Update>
  let post: AsyncStream<Update>.Continuation

  init(_ rules: WatchRules, of servers: @escaping Servers, in context: Services) {
    self.rules = rules
    pairedNow = servers
    reporter = WatchReporter(context.reporter)
    var context = context
    context.reporter = reporter
    self.context = context
    begin = context.loop.now
    manager = ServiceManager(environment: context.environment)
    (events, post) = AsyncStream.makeStream(of: Update.self)
  }

  var loop: EventLoop { context.loop }

  /// The time since the watch was created.
  var elapsed: Duration { begin.duration(to: loop.now) }

  func isQuiet(at now: Timestamp) -> Bool {
    rules.quietHours?.contains(minute: LocalTime.minuteOfDay(at: now)) ?? false
  }

  /// Watches servers until the task is cancelled, and then withdraws the notifications.
  ///
  /// The list of `servers` and the settings may change while they are watched.
  ///
  /// - Throws: ``OppiError`` if another watch of this user is running, or the settings are invalid;
  ///   `CancellationError`; an error if no server is paired or the output cannot be written.
  static func watch(
    _ servers: @escaping Servers,
    by settings: ConfigFile.Settings,
    _ rules: @escaping WatchSettings.Rules,
    in context: Services,
    print: @escaping @Sendable (Report) async throws -> Void
  ) async throws {
    let first = try rules(settings)
    try await context.files.withLock(on: context.paths.watchFile, lockTimeout: .zero) {
      var service = WatchService(first, of: servers, in: context)
      service.settings = WatchSettings(present: settings, rules: rules)
      await service.warnOfRules()
      do {
        try await service.run(print)
        throw CancellationError()
      } catch {
        await service.leave()
        throw error
      }
    } ifHeld: {
      throw OppiError.watchRunsAlready
    }
  }

  /// Watches servers until the task is cancelled or a line cannot be printed.
  ///
  /// Jobs in progress continue when the list of servers changes; only the queries restart.
  mutating func run(
    _ print: @escaping @Sendable (Report) async throws -> Void
  ) async throws {
    paired = try pairedNow()
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { [reporter] in await reporter.run() }
      group.addTask { [lines, reporter, post] in
        do {
          try await lines.read(print) { count in
            await reporter.warn("the output was not read in time; events not printed: \(count)")
          }
        } catch {
          post.yield { _ in throw error }
        }
      }
      group.addTask { [loop, post] in
        while true {
          post.yield { try await $0.tick() }
          try await loop.sleep(for: Self.tick)
        }
      }
      while true {
        guard !paired.isEmpty else { throw OppiError.notPaired }
        try await watch(paired, &group)
      }
    }
  }

  /// Watches servers until the list changes.
  private mutating func watch(
    _ servers: [PairedServer],
    _ group: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws {
    forgetServers(besides: servers)
    try await withThrowingTaskGroup(of: Void.self) { queries in
      defer { queries.cancelAll() }
      for server in servers {
        let watch = ServerWatch(server: server, context: context, poll: rules.poll, known: turns)
        queries.addTask { [post] in
          try await watch.run { look in post.yield { await $0.take(look, of: server) } }
        }
      }
      for await update in events {
        try Task.checkCancellation()
        try await update(&self)
        guard paired == servers else { return }
        try await handleChanges()
        for job in jobs { group.addTask { [post] in post.yield(await job()) } }
        jobs = []
      }
      throw CancellationError()
    }
  }

  private mutating func tick() async throws {
    try await readServers()
    await readSettings()
    seekDesktop()
    if let job = outbox.expiryJob(in: context) { jobs.append(job) }
  }

  /// Shows what is new after an event, and starts what is due.
  private mutating func handleChanges() async throws {
    let now = context.now()
    let isQuiet = isQuiet(at: now)
    try perform(alerts.look(fleet, at: now, isQuiet: isQuiet), at: now)
    if !isQuiet {
      let notes = outbox.takeNews().compactMap { $0.notification(isPrivate: rules.isPrivate) }
      for note in notes { order(.show(note)) }
    }
    beginEscalation(at: now, isQuiet: isQuiet)
    await snapshot.keep(&fleet, in: context)
    await context.reportFileFaults()
    reportToManager()
  }

  // MARK: - The service manager

  /// Reports to the service manager that the watch is ready and alive.
  private mutating func reportToManager() {
    if !isReady, fleet.servers.allSatisfy({ $0.contactAt != nil || $0.failure != nil }) {
      isReady = true
      manager.ready()
    }
    guard let interval = manager.watchdogInterval else { return }
    if aliveAt.map({ loop.now >= $0 + min(interval, Self.tick) }) ?? true {
      aliveAt = loop.now
      manager.alive()
    }
  }

  /// Withdraws all notifications, because their buttons no longer work.
  private func leave() async {
    manager.stopping()
    guard let notifier = line?.notifier else { return }
    // A new task, because the current one is already cancelled.
    await Task(executorPreference: loop) { [tags = desktop.tags] in
      for tag in tags { try? await notifier.withdraw(tag) }
    }
    .value
  }
}

/// The settings of a watch.
struct WatchRules: Sendable {
  /// Finds the time after which the requests of a workspace are denied, `nil` for never.
  ///
  /// The workspace is `nil` for requests of an unknown one.
  typealias DenyAfter = @Sendable (WorkspaceReference?) async throws -> Duration?

  /// The interval of queries instead of a stream; `nil` for a stream.
  var poll: Duration?
  var quietHours: QuietHours?
  /// The user's own notification command, with its arguments.
  var command: [String]?
  /// Whether desktop notifications are off.
  var isSilent = false
  /// Whether notifications leave out prompts, answers and commands.
  var isPrivate = false
  /// The time after which a pending request is notified again, and then passed to the command.
  var again: Duration?
  /// The user's command for requests that stay pending, with its arguments.
  var escalationCommand: [String]?
  /// `nil` if there is no such rule.
  var denyAfter: DenyAfter?

  /// Whether any step is taken for requests that stay pending.
  var escalates: Bool { again != nil || denyAfter != nil }
}
