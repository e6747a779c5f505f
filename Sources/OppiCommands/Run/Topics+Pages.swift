// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  /// The pages of the manual in section 5; topics that are on neither have pages in section 7, or are
  /// on the program's own page.
  static var pages: [TopicPage] { [configPage, jsonPage] }

  private static var configPage: TopicPage {
    TopicPage(
      name: "config",
      section: 5,
      summary: "Files that configure oppi",
      parts: [
        TopicPage.Part(
          "DESCRIPTION",
          .text(
            """
            These are the files that you may edit. All others are listed in 'oppi help files' and are \
            oppi's own.
            """
          )
        ),
        TopicPage.Part(
          "FILES",
          .files(files.filter { $0.term.hasPrefix("$XDG_CONFIG_HOME/") })
        ),
        TopicPage.Part("SETTINGS", .topic(settings.name)),
        TopicPage.Part("SHORTCUTS", .topic(shortcutFile.name)),
        TopicPage.Part("SERVERS", .text(serversText)),
      ]
    )
  }

  private static let serversText = """
    'oppi pair' writes servers.json, and 'oppi servers' changes it. It has two members that are added \
    by hand, each in the object of a server:

      "tokenCommand": ["pass", "show", "oppi/studio"]
      "proxy": "socks5://127.0.0.1:1080"

    tokenCommand is a program with its arguments; the first line of its output is the token ('oppi \
    help files' has the order in which a token is looked for). proxy is the proxy for this server \
    alone; without it the environment decides ('oppi help environment').
    """

  private static var jsonPage: TopicPage {
    TopicPage(
      name: "json",
      section: 5,
      summary: "JSON output of oppi",
      parts: [
        TopicPage.Part("DESCRIPTION", .body(of: json.name)),
        TopicPage.Part("ERROR OBJECT", .text(errorText)),
        TopicPage.Part("COMPATIBILITY", .text(compatibilityText)),
        TopicPage.Part("MEMBERS", .lists(of: json.name)),
      ]
    )
  }

  private static let compatibilityText = """
    Members are only ever added: a later version does not rename or remove one, and does not change \
    its type or meaning. The same holds for error codes. A program that reads the output must ignore \
    members and types of lines that it does not know.
    """

  private static var errorText: String {
    """
    A failure is one line on standard error:

      {"error": {"code": "...", "message": "...", "hints": ["..."], "status": 64}}

    message is for people and may change. hints are commands that help, and status is the exit \
    status. The codes, each with its exit status:

    \(errorCodes)
    """
  }
}
