// SPDX-License-Identifier: MIT

/// A session that the agent started for a part of its work.
package struct ChildSession: Sendable, Equatable, Identifiable {
  package let id: String
  package var name: String?
  package var status: Session.Status

  package init(_ session: Session) {
    id = session.id
    name = session.name
    status = session.status
  }
}
