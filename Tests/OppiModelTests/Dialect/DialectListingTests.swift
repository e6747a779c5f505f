// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("Dialect.Listing")
struct DialectListingTests {
  @Test("today's servers list what a flow needs, with the number of dialogs")
  func recent() {
    let listing = Dialect.Listing.recent
    #expect(listing.path(of: .all) == "/sessions/recent")
    #expect(listing.path(of: .recent) == "/sessions/recent?recentDays=7")
    #expect(listing.path(of: .loaded) == "/sessions/recent?recentDays=1")
    #expect(listing.countsDialogs)
    #expect(!listing.mayListLostAgents)
    #expect(listing.path(ofEntry: "s1") == "/sessions/s1")
  }

  @Test("older servers list all sessions, or those of each workspace")
  func older() {
    for scope in [Dialect.Listing.Scope.all, .recent, .loaded] {
      #expect(Dialect.Listing.sessions.path(of: scope) == "/sessions")
      #expect(Dialect.Listing.workspaces.path(of: scope) == nil)
    }
    #expect(Dialect.Listing.workspaces.mayListLostAgents)
    for listing in [Dialect.Listing.sessions, .workspaces] {
      #expect(!listing.countsDialogs)
      #expect(listing.path(ofEntry: "s1") == nil)
    }
  }

  @Test("a list that a server does not know is replaced by the earlier one")
  func earlier() {
    #expect(Dialect.Listing.recent.earlier == .sessions)
    #expect(Dialect.Listing.sessions.earlier == .workspaces)
    #expect(Dialect.Listing.workspaces.earlier == nil)
  }

  @Test("only today's servers read a session without its workspace")
  func records() {
    #expect(Dialect.Listing.recent.path(ofSession: "s", workspaceID: nil) == "/sessions/s")
    #expect(Dialect.Listing.recent.tracePath == "/trace?include=all")
    for listing in [Dialect.Listing.sessions, .workspaces] {
      #expect(listing.path(ofSession: "s", workspaceID: nil) == nil)
      #expect(listing.path(ofSession: "s", workspaceID: "w") == "/workspaces/w/sessions/s")
      #expect(listing.tracePath == "")
    }
  }

  @Test("the whole output of a call has a path of its own on older servers")
  func output() {
    let today = Dialect.Listing.recent.path(ofOutput: "c", session: "s", workspaceID: "w")
    #expect(today == "/workspaces/w/sessions/s/tool-output/c?full=true")
    let older = Dialect.Listing.sessions.path(ofOutput: "c", session: "s", workspaceID: "w")
    #expect(older == "/workspaces/w/sessions/s/tool-output/c/full")
    #expect(Dialect.Listing.recent.path(ofOutput: "c", session: "s", workspaceID: nil) == nil)
  }
}
