// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiClient
package import OppiModel
import OppiWire

/// Converts a session's news to changes of its activity, and reports the end of a turn only when it
/// is final.
///
/// A ``FollowState`` decides; this waits, and reads the session's trace.
package struct TurnFollower: Sendable {
  package private(set) var feed: SessionFeed
  private var state: FollowState
  private var loop: EventLoop { feed.loop }

  package init(feed: SessionFeed) {
    self.feed = feed
    let requests = feed.session.server.dialect?.requests ?? .permissions
    let reducer = ActivityReducer(sessionID: feed.session.id, requests: requests)
    state = FollowState(reducer, isStreamOpen: feed.stream != nil)
  }

  /// The state after the messages so far.
  var reducer: ActivityReducer {
    get { state.reducer }
    _modify { yield &state.reducer }
  }

  package var activity: Turn { reducer.activity }

  /// Returns the next news, or `nil` if the deadline comes first.
  package mutating func next(
    until deadline: EventLoop.Instant?
  ) async throws(OppiError) -> SessionNews? {
    if state.mustLoad(at: feed.now) { return try await load() }
    let wake = [deadline, state.wakeAt.map(feed.instant)].compactMap(\.self).min()
    let news = try await feed.next(until: wake)
    switch news {
    case .changes(_, of: let message?):
      let changes = state.receive(message, at: feed.now, on: loop.timestamp())
      return .changes(changes, of: message)
    case .caughtUp(let catchUp): state.caughtUp(catchUp, at: feed.now)
    case .renewing: state.lost(asPlanned: true)
    case .lost: state.lost(asPlanned: false)
    case .changes, .past, .givenUp: break
    case nil:
      switch state.due(at: feed.now) {
      case .load: return try await load()
      case .changes(let changes): return .changes(changes, of: nil)
      case nil: break
      }
    }
    return news
  }

  private mutating func load() async throws(OppiError) -> SessionNews {
    do {
      let (session, trace) = try await feed.trace()
      let past = state.loaded(session, trace, at: feed.now, on: loop.timestamp())
      return past.map(SessionNews.past) ?? .changes([], of: nil)
    } catch {
      guard error.isPassing else { throw error }
      state.notLoaded(at: feed.now)
      return .changes([], of: nil)
    }
  }
}
