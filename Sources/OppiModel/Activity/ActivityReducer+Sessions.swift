// SPDX-License-Identifier: MIT

extension ActivityReducer {
  mutating func connect(
    _ session: Session,
    _ sequence: Int,
    at now: Timestamp
  ) -> [ActivityChange] {
    if sequence < max(lastSequence, connectedSequence) {
      lastSequence = 0
      isAgentReplaced = true
      activity.statuses = []
    }
    connectedSequence = sequence
    hasSessionEnded = false
    return update(session, at: now)
  }

  mutating func update(_ session: Session, at now: Timestamp) -> [ActivityChange] {
    guard session.id == sessionID else { return updateChild(ChildSession(session)) }
    // A turn that began before anybody looked. Other statuses come too early or too late to say
    // anything: a session is ready for a moment between two attempts.
    guard session.status == .busy, run == .none, !hasSessionEnded else { return [] }
    return startTurn(at: now, own: prompts.takeDirect())
  }

  private mutating func updateChild(_ child: ChildSession) -> [ActivityChange] {
    if let index = activity.children.firstIndex(where: { $0.id == child.id }) {
      guard activity.children[index] != child else { return [] }
      activity.children[index] = child
    } else {
      guard activity.children.count < TurnActivity.companionLimit else { return [] }
      activity.children.append(child)
    }
    return [.child(child)]
  }
}
