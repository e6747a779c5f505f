// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiText

/// The state of a session's loaded agent, which is lost when it stops.
package final class LoadedAgent {
  /// Outlives the agent.
  package unowned let session: LiveSession
  /// The number of the agent within its session.
  package let number: Int
  /// Changes with every start of an agent; `nil` if clients cannot see that.
  let epoch: String?
  package var log: EventLog
  var turns = ClientTurns()
  package var queue = MessageQueue()
  /// The accepted turns whose run has not been announced, oldest first.
  var unannouncedTurns: [String] = []
  /// The current run, from the acceptance of its prompt.
  package var run: Run?
  /// The pending dialogs, oldest first.
  package internal(set) var questions: [PendingQuestion] = []
  /// The notifications that stay visible, which later viewers get, too.
  var lastingNotifications: [JSONObject] = []

  /// Whether a prompt is rejected as too early; not during the pause before a retry.
  package var isBusy: Bool { run.map { $0.pause == nil && !$0.isSettling } ?? false }

  init(of session: LiveSession, epoch: String?, limits: HostLimits) {
    self.session = session
    number = session.starts
    self.epoch = epoch
    log = EventLog(capacity: limits.eventRing)
  }
}

/// One run of an agent, from a prompt to the end of the last message queued behind it.
package final class Run {
  package enum Stop {
    case turn
    case session
  }

  /// The reason why the pause before a retry ended early.
  enum PauseEnd {
    case aborted
    /// Another prompt arrived; its run replaces this one.
    case superseded
  }

  /// The current stop; nil also after a stop has failed.
  package var stop: Stop?
  /// Whether a stop was ever requested; the run ends at the next opportunity.
  private(set) var isAborted = false
  /// Kept when a stop is requested.
  let abortion = Promise<Bool>()
  /// Kept when a stop is requested, a message is queued behind the run, or its tool is released.
  package var interruption = Promise<Bool>()
  var pause: Promise<PauseEnd>?
  package let ended = Promise<Bool>()
  /// Whether the run has ended, except for the report that nothing follows.
  var isSettling = false
  /// What the model has said of the current message.
  var partialMessage = (thinking: "", text: "")
  /// The messages queued behind this run and not yet delivered.
  var queuedIDs: Set<String> = []
  /// The last failure when no retry follows.
  var finalFailure: (error: String, attempt: Int)?

  /// Whether the run can be stopped, and messages can be queued behind it.
  package var isActive: Bool { stop == nil && pause == nil && !isSettling }

  func abort() {
    isAborted = true
    abortion.keep(true)
    interruption.keep(true)
    pause?.keep(.aborted)
  }
}

package struct PendingQuestion {
  static let cancellation: JSONValue = ["cancelled": true]

  package let id: String
  package let request: JSONValue
  let answer = Promise<JSONValue>()

  /// Waits for the answer; a cancellation if the server ends first.
  var response: JSONValue {
    get async { await answer.value() ?? Self.cancellation }
  }

  /// The form for the REST list; `nil` for a dialog that is not in the list.
  var entry: JSONValue? {
    let isListed =
      switch request["method"].string {
      case "ask": request["questions"].array?.isEmpty == false
      case "select": request["options"].array?.isEmpty == false
      case "confirm", "input": true
      default: false
      }
    return isListed ? request.removing(["type", "sessionId"]) : nil
  }
}

/// The messages queued behind a running turn.
package struct MessageQueue: Sendable {
  /// When a message is delivered: after the tool calls, or after the whole run.
  package enum Kind: String, Sendable {
    case steer
    case followUp = "follow_up"
  }

  package struct Item: Sendable {
    package let id: String
    package let message: String
    /// The turn's ID if the client sent one.
    package let clientTurnID: String?
    let createdAt: Timestamp

    /// Creates an item with the ID of its turn.
    package init(message: String, clientTurnID: String? = nil, on loop: EventLoop) {
      self.message = message
      self.clientTurnID = clientTurnID
      id = clientTurnID ?? loop.makeID(.long)
      createdAt = loop.timestamp
    }

    package var json: JSONValue {
      ["id": .string(id), "message": .string(message), "createdAt": createdAt.json]
    }
  }

  package private(set) var version = 0
  private var items: [(kind: Kind, item: Item)] = []

  var hasSteering: Bool { items.contains { $0.kind == .steer } }

  package mutating func append(_ item: Item, as kind: Kind) {
    version += 1
    items.append((kind, item))
  }

  package mutating func remove(_ id: String) {
    version += 1
    items.removeAll { $0.item.id == id }
  }

  package mutating func removeAll() {
    version += 1
    items = []
  }

  /// Removes and returns the next message; steering messages come first.
  mutating func next() -> (kind: Kind, item: Item)? {
    guard !items.isEmpty else { return nil }
    version += 1
    return items.remove(at: items.firstIndex { $0.kind == .steer } ?? 0)
  }

  package var json: JSONValue {
    ["version": .number(version), "steering": list(.steer), "followUp": list(.followUp)]
  }

  private func list(_ kind: Kind) -> JSONValue {
    .array(items.filter { $0.kind == kind }.map(\.item.json))
  }
}

/// The latest turns that clients have sent, by ID.
struct ClientTurns {
  /// The number of turns whose repeats are recognised.
  static let limit = 256

  /// Least recently used first.
  private var turns: [(id: String, turn: ClientTurn)] = []

  subscript(id: String) -> ClientTurn? {
    get { turns.first { $0.id == id }?.turn }
    set {
      turns.removeAll { $0.id == id }
      if let newValue { turns.append((id, newValue)) }
      if turns.count > Self.limit { turns.removeFirst() }
    }
  }
}

/// A turn that a client has sent, so that a repeat is recognised and not run again.
package struct ClientTurn {
  package enum Stage: String, Sendable {
    case accepted
    case dispatched
    case started
  }

  /// The type of its message.
  let command: String
  let payload: JSONValue
  var stage = Stage.accepted
}

/// Numbered events, such as those of one agent; the last ones can be replayed.
package struct EventLog: Sendable {
  private let capacity: Int
  /// The member with the number.
  private let counter: String
  private var events: [JSONValue] = []
  /// The number of the latest event; 0 before the first.
  package private(set) var sequence = 0

  package init(capacity: Int, counter: String = "seq") {
    self.capacity = capacity
    self.counter = counter
  }

  /// Numbers and stores an event; returns it with its number.
  package mutating func append(_ event: JSONValue) -> JSONValue {
    sequence += 1
    let numbered = event.adding([counter: .number(sequence)])
    events.append(numbered)
    if events.count > capacity { events.removeFirst() }
    return numbered
  }

  /// Returns the events after a number; `nil` if some of them are no longer stored.
  ///
  /// A future number returns no events.
  package func events(after since: Int) -> [JSONValue]? {
    let missed = sequence - since
    guard missed > 0 else { return [] }
    return missed <= events.count ? events.suffix(missed) : nil
  }
}
