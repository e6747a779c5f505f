// SPDX-License-Identifier: MIT

import OppiWire

/// A model of a server with one session, limited to what affects a delivery.
struct ModelServer: Hashable {
  enum Outgoing: Hashable {
    case connected(Session.Status, sequence: Int, messageCount: Int)
    case state(Session.Status, messageCount: Int)
    case acknowledged(String, isDuplicate: Bool)
    case result(String, failure: String?)
    case agentStart(Int)
    case user(isOurs: Bool, Int)
    case error(isBusy: Bool, Int)
    case queue([String])
    case summary(Session.Status, messageCount: Int)
  }

  /// The prompt that the agent received and has not started.
  enum Pending: Hashable {
    case ours(String)
    case others
  }

  let dialect: Dialect.Stream
  var startedAt = Duration.seconds(-1000)
  var status: Session.Status
  var isLoaded = false
  /// Counts the agents; a new dialect names them.
  var epoch = 0
  var sequence = 0
  var events: [Outgoing] = []
  var remembered: Set<String> = []
  var queue: [String] = []
  var pending: Pending?
  /// Whether an agent has ever received the prompt.
  var hasTaken = false
  var runs = 0

  /// Restarts after a crash; state in memory is lost.
  mutating func restart(at now: Duration) {
    startedAt = now
    messageCount = 0
    unload()
    if dialect != .perSession || status == .ready { status = .stopped }
  }

  mutating func unload() {
    if isLoaded, dialect != .perSession { status = .stopped }
    isLoaded = false
    sequence = 0
    events = []
    remembered = []
    queue = []
    pending = nil
  }

  mutating func load() {
    guard !isLoaded else { return }
    isLoaded = true
    epoch += 1
    status = .ready
  }

  private mutating func number(_ make: (Int) -> Outgoing) -> Outgoing {
    sequence += 1
    let event = make(sequence)
    events.append(event)
    return event
  }

  /// Kept when the agent exits; reset by a crash.
  var messageCount = 0

  var connected: Outgoing {
    .connected(status, sequence: sequence, messageCount: messageCount)
  }
  var state: Outgoing { .state(status, messageCount: messageCount) }

  func events(after anchor: Int) -> [Outgoing] { Array(events.dropFirst(max(0, anchor))) }

  /// Handles a subscription of the multiplexed dialect.
  mutating func subscribe(_ id: String, since: Int?) -> [Outgoing] {
    load()
    return [connected, state]
      + (since.map { events(after: $0) } ?? []) + [.result(id, failure: nil)]
  }

  /// Handles a turn: a prompt, or a message queued behind the running turn.
  mutating func take(_ turnID: String, isPrompt: Bool, _ id: String) -> [Outgoing] {
    guard isLoaded else { return [.result(id, failure: "Session not active: S")] }
    if remembered.contains(turnID) {
      return [.acknowledged(turnID, isDuplicate: true), .result(id, failure: nil)]
    }
    guard isPrompt || status == .busy else {
      return [.result(id, failure: "Follow-up requires an active streaming turn")]
    }
    remembered.insert(turnID)
    hasTaken = true
    if isPrompt { messageCount += 1 }
    var answers: [Outgoing] = [.acknowledged(turnID, isDuplicate: false)]
    if !isPrompt {
      queue.append(turnID)
    } else if status == .busy || pending != nil {
      answers.append(number { .error(isBusy: true, $0) })
    } else {
      pending = .ours(turnID)
    }
    return answers + [.result(id, failure: nil)]
  }

  /// Handles a prompt that is queued during a turn; `isRefused` if its agent does not accept it.
  mutating func queueOrRun(_ turnID: String, isRefused: Bool, _ id: String) -> [Outgoing] {
    guard isLoaded else { return [.result(id, failure: "Session not active: S")] }
    if remembered.contains(turnID) {
      return [.acknowledged(turnID, isDuplicate: true), .result(id, failure: nil)]
    }
    guard !isRefused else { return [.result(id, failure: "No API key found.")] }
    remembered.insert(turnID)
    hasTaken = true
    messageCount += 1
    guard status == .busy || pending != nil else {
      pending = .ours(turnID)
      return [.acknowledged(turnID, isDuplicate: false), .result(id, failure: nil)]
    }
    queue.append(turnID)
    return [
      .acknowledged(turnID, isDuplicate: false), .queue(queue), .result(id, failure: nil),
    ]
  }

  /// The agent starts the prompt.
  mutating func begin(_ prompt: Pending) -> [Outgoing] {
    pending = nil
    status = .busy
    let isOurs = prompt != .others
    if !isOurs { messageCount += 1 }
    if isOurs { runs += 1 }
    let start = number(Outgoing.agentStart)
    return [start, number { .user(isOurs: isOurs, $0) }]
  }

  /// The agent refuses the pending prompt.
  mutating func refuse() -> [Outgoing] {
    pending = nil
    return [number { .error(isBusy: false, $0) }]
  }

  /// The running turn ends; the next queued message continues the run.
  mutating func endTurn() -> [Outgoing] {
    guard queue.isEmpty else {
      queue.removeFirst()
      runs += 1
      return [number { .user(isOurs: true, $0) }]
    }
    status = .ready
    return [change]
  }

  /// The message about a changed status.
  private var change: Outgoing {
    dialect == .session ? .summary(status, messageCount: messageCount) : state
  }

  /// Stops the turn; the multiplexed dialect also clears the queue.
  mutating func stopTurn() -> [Outgoing] {
    if dialect != .perSession { queue = [] }
    status = .ready
    return [.queue([]), change]
  }
}
