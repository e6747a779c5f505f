// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// What a server of another time or mood does differently, by default what today's do.
///
/// The sessions call these functions at the places where servers differ. They run on the sessions'
/// actor, so that they can use and change what they are passed.
package struct HostVariant: Sendable {
  // MARK: Forms

  /// The record of a session as REST and events show it, given today's form.
  package var form: @Sendable (_ record: JSONValue) -> JSONValue = { $0 }
  /// The events that viewers get instead of one; empty to leave it out.
  package var events: (@Sendable (SessionEvent, LiveSession, isolated Sessions) -> [SessionEvent])?
  /// The types of events that are numbered and stored for replay.
  package var storedEvents = Sessions.storedEvents
  /// A new ID of a session, a question or a dialog.
  package var makeID: @Sendable (_ kind: String, isolated Sessions) -> String = { _, sessions in
    sessions.loop.makeUUID()
  }
  /// Whether clients can tell the starts of an agent apart.
  package var hasEpochs = true
  package var invite: @Sendable (JSONValue) -> JSONValue = { $0 }

  // MARK: Sessions

  /// The model of a new session if its request names none.
  package var defaultModel: @Sendable (Workspace) -> String = { _ in Model.defaultID }
  /// The model of an agent that starts; `nil` if the one that its session names is not available.
  package var model: @Sendable (LiveSession) -> Model? = { Model.matching($0.model) }
  /// Throws if there are too many loaded agents for another one.
  package var willStart: (@Sendable (LiveSession, isolated Sessions) throws(Refusal) -> Void)?
  /// Takes the time that a start takes; throws if the agent cannot start.
  package var prepareStart: (@Sendable (Workspace) async throws(Refusal) -> Void)?
  /// The record of a session was written to the disk.
  package var didWrite: (@Sendable (LiveSession) -> Void)?
  /// An event was sent to the viewers of a session's agent.
  package var didSend: (@Sendable (JSONValue, LiveSession, isolated Sessions) -> Void)?
  /// Returns what is to be done when the agent has been unloaded.
  package var willUnload: (@Sendable (LiveSession) -> () -> Void)?
  /// An agent has the prompt of a launch, which is not recorded yet.
  package var didHandOver: (@Sendable (_ sessionID: String) async -> Void)?

  // MARK: Turns

  /// Handles a message to a session with a loaded agent; returns false for what today's servers do.
  package var perform:
    (@Sendable (ClientRequest, LoadedAgent, isolated Sessions) throws(StreamError) -> Bool)?

  /// An agent begins with a prompt.
  package var didHear: (@Sendable (MessageQueue.Item, AgentTurn) -> Void)?
  package var willMake: (@Sendable ([IdentifiedCall], AgentTurn, isolated Sessions) -> Void)?
  /// Waits until a call is allowed by the server itself; returns why it is denied.
  package var denial: (@Sendable (AgentCall, AgentTurn, isolated Sessions) async -> String?)?
  /// A child session changed at its beginning.
  package var didChange:
    (@Sendable (_ child: LiveSession, _ parent: LiveSession, isolated Sessions) -> Void)?
  /// Returns whether the end of a run is followed by the report that nothing follows.
  package var settles: @Sendable () async -> Bool = { true }

  package init() {}
}

/// An event for the viewers of a session.
package typealias SessionEvent = (type: String, members: JSONObject)
