// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A step that a watch takes for a request that stays pending, in the order of the steps.
package enum EscalationStep: String, Sendable, CaseIterable {
  /// The request is notified again.
  case again
  /// The request is passed to the user's command.
  case escalate
  /// The request is denied, or its dialog cancelled.
  case deny
}

/// Identifies a request with its content, also in other processes; contains nothing of the request.
package struct EscalationKey: Sendable, Hashable {
  package let text: String

  package init(_ request: HumanRequest, of serverID: Fingerprint) {
    let parts = [serverID.text, request.sessionID ?? "", request.id, request.digest]
    // A list in JSON, so that different parts never have the same text.
    let list = JSONValue.array(parts.map(JSONValue.string))
    text = SHA256.hex(of: list.bytes())
  }

  init?(text: String) {
    guard text.utf8.count == 64 else { return nil }
    self.text = text
  }
}

/// The pending requests with the steps that were taken, kept across processes.
package struct EscalationLedger: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    /// When a watch first saw the request.
    package var since: Timestamp
    package var done: Set<EscalationStep>

    package init(since: Timestamp, done: Set<EscalationStep> = []) {
      (self.since, self.done) = (since, done)
    }

    /// The steps that are due and not done, in order.
    ///
    /// A step needs an answer of the server from after its time, at `contactAt`: after the machine
    /// slept, the request may have been decided long ago. Quiet hours delay all steps but a denial.
    ///
    /// - Parameters:
    ///   - again: The time until the request is notified again, and then until it is passed to the
    ///     command; `nil` for never.
    ///   - escalates: Whether there is a command.
    ///   - denyAfter: The time after which the rule of the request's workspace denies it.
    ///   - contactAt: When the server last answered.
    ///   - now: The current time.
    ///   - isQuiet: Whether it is a quiet hour.
    /// - Returns: The steps.
    package func due(
      again: Duration?,
      escalates: Bool,
      denyAfter: Duration?,
      contactAt: Timestamp,
      now: Timestamp,
      isQuiet: Bool
    ) -> [EscalationStep] {
      EscalationStep.allCases.filter { step in
        let delay: Duration? =
          switch step {
          case .again: again
          case .escalate: escalates ? again.map { $0 + $0 } : nil
          case .deny: denyAfter
          }
        guard !done.contains(step), step == .deny || !isQuiet, let delay else { return false }
        return since.moved(by: delay) <= min(now, contactAt)
      }
    }
  }

  /// The most requests; further ones have no steps.
  package static let limit = 1000
  /// How long to remember a request that is not listed: its server may be unreachable.
  package static let keptFor = Duration.seconds(30 * 86_400)

  package private(set) var entries: [EscalationKey: Entry] = [:]

  package init() {}

  package subscript(key: EscalationKey) -> Entry? { entries[key] }

  /// Adds the requests that are pending at a moment, and forgets old ones that are not.
  package mutating func note(_ pending: [EscalationKey], at now: Timestamp) {
    let present = Set(pending)
    entries = entries.filter { key, entry in
      present.contains(key) || now < entry.since.moved(by: Self.keptFor)
    }
    for key in pending {
      var entry = entries[key] ?? Entry(since: now)
      // A clock that was set back must not delay the steps for years.
      entry.since = min(entry.since, now)
      entries[key] = entry
    }
    let excess = entries.count - Self.limit
    guard excess > 0 else { return }
    let order = entries.sorted { first, second in
      let (mine, other) = (present.contains(first.key), present.contains(second.key))
      return mine == other ? first.value.since < second.value.since : !mine
    }
    // Those that are not pending go first, then the latest: the others may have steps behind them.
    let gone = order.prefix { !present.contains($0.key) }.prefix(excess).map(\.key)
    let late = order.reversed().prefix(excess - gone.count).map(\.key)
    for key in gone + late { entries[key] = nil }
  }

  /// Records that a step is about to be taken; returns false if it was recorded before, or the
  /// request is unknown.
  package mutating func claim(_ step: EscalationStep, of key: EscalationKey) -> Bool {
    entries[key]?.done.insert(step).inserted ?? false
  }
}

// MARK: - Its file

/// Entries that cannot be read are left out.
extension EscalationLedger: ShapedRecord {
  package static let shape = RecordShape(
    EscalationLedger(),
    [
      .written("version") { _ in 1 },
      .defaulted("requests", { $1(&$0.entries) }, .dictionary(by: .key, of: .object(Entry.shape))),
    ]
  )
}

extension EscalationLedger.Entry {
  fileprivate static let shape = RecordShape(
    Self(since: Timestamp(milliseconds: 0)),
    [
      .required("since", { $1(&$0.since) }, .milliseconds),
      .defaulted("done", { $1(&$0.steps) }, .list(of: .word)),
    ]
  )

  /// The steps that were taken, in their order.
  private var steps: [EscalationStep] {
    get { EscalationStep.allCases.filter(done.contains) }
    set { done = Set(newValue) }
  }
}

extension JSONField<EscalationKey> {
  fileprivate static var key: JSONField { spelled(\.text) { EscalationKey(text: $0) } }
}
