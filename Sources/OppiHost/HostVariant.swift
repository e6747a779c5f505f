// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel

/// What a server of another time or mood does differently; the defaults are those of today.
///
/// The sessions call it at the places where servers differ. It runs on their actor, so that it can
/// use and change what it is passed.
package protocol HostVariant: Sendable {
  // MARK: Forms

  /// The record of a session as REST and events show it, given today's form.
  func form(of record: JSONValue) -> JSONValue
  /// The events that viewers get instead of one; empty to leave it out.
  func events(for event: SessionEvent, of session: LiveSession, in sessions: isolated Sessions)
    -> [SessionEvent]
  /// Whether events of a type are numbered and stored for replay.
  func isStored(_ type: String) -> Bool
  /// A new ID of a session, a question or a dialog.
  func makeID(_ kind: String, in sessions: isolated Sessions) -> String
  /// What tells the starts of an agent apart; `nil` to hide it.
  func makeEpoch(on loop: EventLoop) -> String?
  func invite(_ invite: JSONValue) -> JSONValue

  // MARK: Sessions

  /// The model of a new session if its request names none; `nil` for the usual one.
  func defaultModel(in workspace: Workspace, _ sessions: isolated Sessions) -> String?
  /// The model that a text names when an agent starts; `nil` if there is none.
  func model(named text: String) -> Model?
  /// Takes the time that a start takes.
  ///
  /// - Throws: If the agent cannot start.
  func prepareStart(of session: LiveSession, in sessions: isolated Sessions) async throws(Refusal)
  func didLoad(_ session: LiveSession, in sessions: isolated Sessions)
  /// The record of a session was written to the disk.
  func didWrite(_ session: LiveSession)
  /// An event was sent to the viewers of a session's agent.
  func didSend(_ event: JSONValue, of session: LiveSession, in sessions: isolated Sessions)
  /// Returns what is to be done when the agent has been unloaded.
  func willUnload(_ session: LiveSession, in sessions: isolated Sessions) -> () -> Void
  /// An agent has the prompt of a launch, which is not recorded yet.
  func didHandOver(to session: LiveSession, in sessions: isolated Sessions) async

  // MARK: Turns

  /// An agent begins with a prompt.
  func didHear(_ prompt: MessageQueue.Item, _ turn: AgentTurn, in sessions: isolated Sessions)
  func willSpeak(_ turn: AgentTurn, in sessions: isolated Sessions)
  /// A message of the model and all its calls have ended.
  func didSpeak(_ turn: AgentTurn, in sessions: isolated Sessions)
  func willMake(_ calls: [IdentifiedCall], _ turn: AgentTurn, in sessions: isolated Sessions)
  /// Waits until a call is allowed by the server itself; returns why it is denied.
  func denial(of call: AgentCall, _ turn: AgentTurn, in sessions: isolated Sessions) async
    -> String?
  /// A child session changed at its beginning.
  func didChange(child: LiveSession, of parent: LiveSession, in sessions: isolated Sessions)
  /// Returns whether the end of a run is followed by the report that nothing follows.
  func settles(in sessions: isolated Sessions) async -> Bool
}

/// An event for the viewers of a session.
package typealias SessionEvent = (type: String, members: JSONObject)

extension HostVariant {
  package func form(of record: JSONValue) -> JSONValue { record }
  package func events(
    for event: SessionEvent,
    of session: LiveSession,
    in sessions: isolated Sessions
  ) -> [SessionEvent] { [event] }
  package func isStored(_ type: String) -> Bool { Sessions.storedEvents.contains(type) }
  package func makeID(_ kind: String, in sessions: isolated Sessions) -> String {
    sessions.loop.makeUUID()
  }
  package func makeEpoch(on loop: EventLoop) -> String? { loop.makeUUID() }
  package func invite(_ invite: JSONValue) -> JSONValue { invite }

  package func defaultModel(in workspace: Workspace, _ sessions: isolated Sessions) -> String? {
    nil
  }
  package func model(named text: String) -> Model? { Model.matching(text) }
  package func prepareStart(
    of session: LiveSession,
    in sessions: isolated Sessions
  ) async throws(Refusal) {}
  package func didLoad(_ session: LiveSession, in sessions: isolated Sessions) {}
  package func didWrite(_ session: LiveSession) {}
  package func didSend(
    _ event: JSONValue,
    of session: LiveSession,
    in sessions: isolated Sessions
  ) {}
  package func willUnload(
    _ session: LiveSession,
    in sessions: isolated Sessions
  ) -> () -> Void { {} }
  package func didHandOver(to session: LiveSession, in sessions: isolated Sessions) async {}

  package func didHear(
    _ prompt: MessageQueue.Item,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) {}
  package func willSpeak(_ turn: AgentTurn, in sessions: isolated Sessions) {}
  package func didSpeak(_ turn: AgentTurn, in sessions: isolated Sessions) {}
  package func willMake(
    _ calls: [IdentifiedCall],
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) {}
  package func denial(
    of call: AgentCall,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async -> String? { nil }
  package func didChange(
    child: LiveSession,
    of parent: LiveSession,
    in sessions: isolated Sessions
  ) {}
  package func settles(in sessions: isolated Sessions) async -> Bool { true }
}

/// Today's servers.
struct PlainVariant: HostVariant {}
