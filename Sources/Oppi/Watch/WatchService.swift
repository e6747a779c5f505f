// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Watches the sessions of all paired servers and reports events.
struct WatchService {
  enum Event: Sendable {
    case looked(PairedServer, ServerWatch.Look)
    case time
    case desktopFound(any DesktopNotifier)
    case desktop(DesktopEvent)
    case desktopTrouble(DesktopError)
    case desktopLost(DesktopError)
    case decided(WatchDesktop.Offer, RequestReply, Result<DecisionOutcome, any Error>)
    /// The queued prompts of a server were tried.
    case flushed(PairedServer, [WatchOutbox.News])
    /// Expired prompts were searched for.
    case expired([WatchOutbox.News])
    case escalation(WatchEscalation.News)
    /// The output cannot be written.
    case unwritable(any Error)
  }

  /// How often to check for expiring requests, quiet hours and changes of the server list.
  static let tick = Duration.seconds(5)
  /// How often to search for a desktop, which may start later than the watch.
  static let desktopPause = Duration.seconds(30)

  /// The servers to watch, as they are paired now.
  typealias Servers = @Sendable () throws -> [PairedServer]

  let rules: WatchRules
  let output: any WatchOutput
  let printer = BoundedQueue<WatchEvent>()
  let context: IntentContext
  private let reporter: WatchReporter
  let servers: Servers
  let manager: ServiceManager
  var fleet = FleetStatus(at: Timestamp(milliseconds: 0), servers: [])
  /// The pending requests by server and id.
  var requests: [Fingerprint: [String: [HumanRequest]]] = [:]
  var alerts = AlertTracker()
  var desktop = WatchDesktop()
  /// The requests with a reply of a button under way.
  var pressed: [WatchDesktop.Offer] = []
  /// Sessions with a decision whose result is unknown; a request still pending at the next query is
  /// shown again.
  var unsettled: Set<SessionPlace> = []
  private var outbox = WatchOutbox()
  var escalation = WatchEscalation()
  /// The results of ended turns, as last stored.
  var turns = EndedTurns()
  /// The last printed alert of each session.
  var lastPrinted: [SessionPlace: String] = [:]
  var line: DesktopLine?
  var isSeeking = false
  /// The last reported reason for having no desktop.
  private var lostBecause: DesktopError?
  var soughtAt: EventLoop.Instant?
  private var snapshot = WatchSnapshot()
  var aliveAt: EventLoop.Instant?
  var isReady = false
  var troubles: [Fingerprint: String] = [:]
  /// The last error of reading the list of paired servers.
  var listTrouble: String?
  private let begin: EventLoop.Instant
  private let events: AsyncStream<Event>
  private let post: AsyncStream<Event>.Continuation

  private init(
    _ rules: WatchRules,
    of servers: @escaping Servers,
    reportingTo output: any WatchOutput,
    in context: IntentContext
  ) {
    self.rules = rules
    self.servers = servers
    self.output = output
    reporter = WatchReporter(context.reporter)
    var context = context
    context.reporter = reporter
    self.context = context
    begin = context.loop.now
    manager = ServiceManager(environment: context.environment)
    (events, post) = AsyncStream.makeStream(of: Event.self)
  }

  var loop: EventLoop { context.loop }

  /// The time since the watch was created.
  var elapsed: Duration { begin.duration(to: loop.now) }

  /// Watches servers until the task is cancelled, and then withdraws the notifications.
  ///
  /// The list of `servers` may change while they are watched.
  ///
  /// - Throws: ``OppiError`` if another watch of this user is running; `CancellationError`; an
  ///   error if no server is paired or the output cannot be written.
  static func watch(
    _ servers: @escaping Servers,
    by rules: WatchRules,
    reportingTo output: any WatchOutput,
    in context: IntentContext
  ) async throws {
    try await alone(in: context) {
      var service = WatchService(rules, of: servers, reportingTo: output, in: context)
      do {
        try await service.run()
        throw CancellationError()
      } catch {
        await service.leave()
        throw error
      }
    }
  }

  /// Runs the body unless another watch of this user is running.
  private static func alone(
    in context: IntentContext,
    _ body: () async throws -> Void
  ) async throws {
    var failure: (any Error)?
    do throws(FileError) {
      try await context.files.withLock(on: context.paths.watchFile, lockTimeout: .zero) {
        () async throws(FileError) in
        do {
          try await body()
        } catch {
          failure = error
        }
      }
    } catch .lockHeld {
      throw OppiError.watchRunsAlready
    }
    if let failure { throw failure }
  }

  /// Jobs in progress continue when the list of servers changes; only the queries restart.
  private mutating func run() async throws {
    var servers = try self.servers()
    try await withThrowingDiscardingTaskGroup { jobs in
      defer { jobs.cancelAll() }
      jobs.addTask { [reporter] in await reporter.run() }
      jobs.addTask { [printer, output, reporter, post] in
        do {
          try await printer.print(to: output, warn: reporter.warn)
        } catch {
          post.yield(.unwritable(error))
        }
      }
      jobs.addTask { [loop, post] in
        while true {
          post.yield(.time)
          try await loop.sleep(for: Self.tick)
        }
      }
      while true {
        guard !servers.isEmpty else { throw OppiError.notPaired }
        servers = try await look(at: servers, &jobs)
      }
    }
  }

  /// Watches servers until the list changes, and returns the new list.
  private mutating func look(
    at servers: [PairedServer],
    _ jobs: inout Jobs
  ) async throws -> [PairedServer] {
    let known = fleet.servers
    turns = context.knownTurns
    fleet.servers = servers.map { server in
      known.first { $0.id == server.id } ?? ServerStatus(id: server.id, name: server.name)
    }
    let present = Set(servers.map(\.id))
    requests = requests.filter { present.contains($0.key) }
    escalation.keep(present)
    troubles = troubles.filter { present.contains($0.key) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      for server in servers {
        let watch = ServerWatch(
          server,
          in: context,
          way: rules.way,
          known: turns
        )
        group.addTask { [post] in
          try await watch.run { post.yield(.looked(server, $0)) }
        }
      }
      for await event in events {
        try Task.checkCancellation()
        if case .time = event {
          if let others = try await otherServers(than: servers) { return others }
          if let seeking = seekDesktop() { begin(seeking, in: &jobs) }
        }
        if case .desktopFound(let notifier) = event {
          line = DesktopLine(to: notifier, in: &jobs) { [post] in post.yield($0) }
        }
        for job in try await take(event) { begin(job, in: &jobs) }
      }
      throw CancellationError()
    }
  }

  typealias Jobs = ThrowingDiscardingTaskGroup<any Error>

  private func begin(_ job: @escaping Job, in jobs: inout Jobs) {
    jobs.addTask { [post] in post.yield(await job()) }
  }

  /// Work outside the event loop of the watch; its result is posted as an event.
  typealias Job = @Sendable () async -> Event

  private func isQuiet(at now: Timestamp) -> Bool {
    rules.quietHours?.contains(minute: LocalTime.minuteOfDay(at: now)) ?? false
  }

  private mutating func take(_ event: Event) async throws -> [Job] {
    var jobs: [Job] = []
    switch event {
    case .looked(let server, let look):
      let isBack = await take(look, of: server)
      if case .success = look, let job = outbox.job(for: server, isBack: isBack, in: context) {
        jobs.append(job)
      }
    case .time:
      if let job = outbox.expiryJob(in: context) { jobs.append(job) }
    case .expired(let lines):
      for news in outbox.take(expired: lines, worded: output) {
        printer.add(.outbox(news))
      }
    case .escalation(let news):
      let now = context.now()
      try await take(news, at: now, isQuiet: isQuiet(at: now))
    case .unwritable(let error): throw error
    case .desktop(let event): jobs = await take(event)
    case .desktopFound:
      (isSeeking, lostBecause) = (false, nil)
      alerts.forgetShown()
    case .desktopTrouble(let error):
      await context.reporter.warn("could not show a notification: \(error)")
    case .desktopLost(let error):
      (line, isSeeking) = (nil, false)
      guard error != .cancelled, error != lostBecause else { break }
      lostBecause = error
      await context.reporter.warn("notifications are off: \(error)")
    case .decided(let offer, let reply, let result):
      tell(result, of: offer, reply)
    case .flushed(let server, let lines):
      for news in outbox.take(lines, of: server, worded: output) {
        printer.add(.outbox(news))
      }
    }
    let now = context.now()
    let isQuiet = isQuiet(at: now)
    for effect in alerts.look(fleet, at: now, isQuiet: isQuiet) {
      try Task.checkCancellation()
      try perform(effect, at: now)
    }
    if !isQuiet { for note in outbox.takeNotes() { order(.show(note)) } }
    jobs += escalationJobs(at: now, isQuiet: isQuiet)
    await snapshot.keep(&fleet, in: context)
    reportToManager()
    return jobs
  }
}
