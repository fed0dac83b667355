/**
 * Passwords that attackers try first. The lists contain the most frequent entries of the 10 million leaked passwords
 * that Mark Burnett published in 2015, in the ranking of zxcvbn 4.4.2: entries of ten characters or more, and words
 * that people extend with digits or signs.
 */

const commonLong =
  `q1w2e3r4t5 1q2w3e4r5t 4815162342 1029384756 123qweasdzxc soso123aljg manchester q1w2e3r4t5y6 1123581321
  1q2w3e4r5t6y mailcreated5240 nuttertools qazwsxedcrfv terminator enterprise rjirfrgbde fktrcfylhf
  polniypizdec0211 sojdlg123aljg undertaker multiplelo motherlode rjycnfynby syncmaster aleksandra salamander
  montgom240 sersolution leavemealone realmadrid tinkerbell dragonball playstation ghostrider 1357924680
  7ugd5hip2j gfhjkmgfhjkm 9293709b13 microphone vsjasnel12 yjdsqgfhjkm strawberry anastasiya harrypotter
  mypassword abrakadabra alessandro good123654 7894561230 konstantin highlander ghjcnjgfhjkm tokiohotel
  sonyericsson evangelion zxcasdqwe123 pufunga7782 hellokitty ironmaiden ghhh47hj7649 roadrunner htubcnhfwbz
  vqsablpzla skateboard friendster vfntvfnbrf 0192837465 alexander1 nthvbyfnjh madagaskar dragonballz abracadabra
  rfhfvtkmrf ronaldinho supersonic ghjcnbnenrf greedisgood qweasdzxc123 cheerleaers metallica1 flvbybcnhfnjh
  nopassword blackberry 1020304050 z1x2c3v4b5 mastermind 1357908642 q1q2q3q4q5 finalfantasy ghbdtnrfrltkf
  1z2x3c4v5b spiderman1 websolutions losangeles a1b2c3d4e5 christophe wachtwoord chickenwing101 1qaz2wsx3edc4rfv
  a1s2d3f4g5 3rjs1la7qe quant4307s ghbdtndctv groupd2013 vflfufcrfh lamborghini justinbieber lockerroom casablanca
  armageddon contortionist evanescence qawsedrftg 1a2s3d4f5g comicbookdb braveheart newproject2004 j3qq4h7h2v
  1213141516 yfnfitymrf maximilian needforspeed devilmaycry shevchenko montecarlo 1a2b3c4d5e callofduty volkswagen
  spartan117 maurolarastefy pathfinder watermelon astalavista summertime domainlock2005 dhjnvytyjub cxfcnkbdfz
  dkflbvbhjdbx 17171717aa hd764nw5d7e1vb1 deutschland aleksander qazwsxedcrfvtgb darthvader lifeisgood 123hfjdk147
  a1a2a3a4a5 8phrowz622 5hsu75kpot badnaamhere 0102030405 dkflbvbhjdyf bondarenko mostwanted 8phrowz624
  mapet123456 opensesame goldfinger limpbizkit thunderbird postov1000 counterstrike zcxfcnkbdf gy3yt2rgls
  bladerunner chocolate1 jediknight 1a2a3a4a5a vfvfvskfhfve angelofwar ghjcnjghjcnj fkmnthyfnbdf hondacivic
  ctdfcnjgjkm 89600506779 salamandra smallville 23176djivanfros ilovemyself galatasaray cyberonline cvzefh1gkc
  azsxdcfvgb prettygirl sailormoon jesuschrist darkknight 1q2q3q4q5q oc247ngucz psychnaut1 whosyourdaddy
  astonvilla 123123123q fktrcfylhjdyf fktrcfylhjdbx 89015173454 cnjvfnjkju mickeymouse trustnoone t34vfrc1991
  541233432442 fgjrfkbgcbc 4904s677075 0147896325 bestfriend qpwoeiruty ghbdtnghbdtn painkiller firefighter
  010203040506 lost4815162342 birthday21 webhompass venom121293 neveragain moneymaker 51051051051 cxfcnmttcnm
  102030405060 vanyarespekt testing123 letmeinnow hellraiser dbrnjhjdbx rhbcnbyjxrf combat123654 vyjujnjxbt
  quicksilver depechemode qweasdzxc1 zaratustra devilmaycry4 matematika devildriver efbcapa201 iseedeadpeople
  89231243658s helloworld jamesbond007 rkfdbfnehf iddqdidkfa ledzeppelin passmaster 123123123a 4815162342lost
  999111999q superduper 123123qweqwe rfnfcnhjaf 1112131415 3141592654 1pass1page 123qwe456rty goodfellas
  3syqo15hil computador elizabeth1 m6cjy69u35 ghjcnjrdfibyj ybrjkftdbx kamehameha 989244342a hellothere 1357997531
  saun24865709 deerhunter clubpenguin primetime21 q1w2e3r4t5y6u7 birthday54 stalingrad apokalipsis fenerbahce
  rfnfgekmnf 80070633pc jetbalance 1qa2ws3ed4rf juggernaut puertorico amsterdam1 rfkmrekznjh luojianhua
  polniypizdec110211 azwebitalia newpassword wishmaster dbrnjhjdyf ptybnxtvgbjy verygoodbot wenef45313 cheburashka
  unforgiven iaapptfcor 7777755102q gunslinger cyjdsvujljv vfylfhbyrf skorpion39 deltaforce masterchief ajcuivd289
  s456123789 applesauce mevefalkcakk playstation3 firestarter birthday299 31217221027711 justforfun necromancer
  fkg7h4f3v6 hshfd4n279 19mtpgam19 roflcopter supermanboy cannondale sevastopol beautiful1 5t4r3e2w1q dragonfire
  q1w2e3r4t5y6u7i8 cyecvevhbr sanandreas byajhvfnbrf sebastian1`.split(/\s+/);

const commonWords =
  `password qwerty dragon baseball football monkey letmein shadow master mustang qwertyuiop superman qazwsx jordan
  killer hunter harley zxcvbnm asdfgh buster batman soccer tigger charlie sunshine iloveyou ranger hockey computer
  starwars pepper klaster zxcvbn freedom princess maggie pass ginger love cheese summer chelsea dallas matrix
  yankees corvette austin access thunder merlin secret diamond hello hammer silver gfhjkm internet samantha golfer
  scooter test orange cookie maverick sparky phoenix mickey bigdog snoopy guitar whatever chicken camaro mercedes
  peanut ferrari falcon cowboy welcome samsung steelers smokey dakota arsenal boomer eagles tigers marina nascar
  gateway yellow porsche monster spider diablo hannah bulldog junior london purple compaq lakers iceman cowboys
  money banana boston tennis coffee scooby nikita yamaha mother barney brandy chester oliver player forever
  rangers midnight chicago bigdaddy redsox angel badboy fender jasper slayer rabbit natasha marine wizard marlboro
  raiders prince casper fishing flower jasmine iwantu adidas winter winner gandalf enter ghbdtn golden cocacola
  winston madison angels panther spanky sophie asdfasdf toyota tiger canada muffin liverpoo apples pokemon
  slipknot qazxsw scorpion qwaszx butter startrek rainbow asdfghjkl razz newyork redskins gemini cameron qazwsxedc
  florida liverpool turtle sierra viking booger doctor rocket dolphins captain bandit jaguar packers pookie
  peaches asdf dolphin helpme blue theman maxwell qwertyui lovers maddog giants nirvana metallic hotdog rosebud
  mountain warrior elephant success alexis lucky scorpio samson azerty admin administrator root changeme passwort
  motdepasse woaini guest default video stream streaming broadcast encoder studio camera passwd`.split(/\s+/);

const listed = new Set(commonLong);
const words = new Set(commonWords);

/** Rows and columns of keyboards, the digits and the alphabet. */
const runs = [
  ...['01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'abcdefghijklmnopqrstuvwxyz', 'azertyuiop', 'qwertzuiop'],
  ...['1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm', '8ik', '9ol', '0p'],
];
const neighbors = new Set(
  runs.flatMap((run) => [...run].slice(1).flatMap((next, i) => [run[i] + next, next + run[i]])),
);
/** Maximum steps outside a run: `qwerty12345` has one, `1qaz2wsx3edc` has two. */
const maxBreaks = 2;
const lookalikes: Readonly<Record<string, string>> = { '@': 'a', $: 's', '0': 'o', '1': 'i', '3': 'e' };
/** The repeated unit of `abcabcabcabc` has three characters. */
const longestUnit = 5;

/** Case, signs and added digits do not make a common password strong. */
export function isCommonPassword(password: string, userName: string): boolean {
  const plain = password.normalize('NFC').toLowerCase();
  const core = plain.replace(/[^\p{L}\p{N}]/gu, '');
  const word = plain
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[@$013]/g, (sign) => lookalikes[sign] ?? '')
    .replace(/[^\p{L}]/gu, '');
  const isOwn = [userName, 'signalbox'].some((own) => word === own.toLowerCase().replace(/[^a-z]/g, ''));
  return listed.has(core) || words.has(word) || isOwn || isRun(plain) || isRepeated(plain);
}

function isRun(text: string): boolean {
  let breaks = 0;
  for (let i = 1; i < text.length && breaks <= maxBreaks; i++) {
    const [before = '', next = ''] = [text[i - 1], text[i]];
    if (before !== next && !neighbors.has(before + next)) breaks += 1;
  }
  return breaks <= maxBreaks;
}

function isRepeated(text: string): boolean {
  return `${text}${text}`.indexOf(text, 1) <= longestUnit;
}

/** Returns common passwords of any length, to compare their MD5 with that of a new password. */
export function commonPasswords(userName: string): string[] {
  const roots = [...commonWords, userName, userName.toLowerCase(), 'signalbox', 'Signalbox', ''];
  const tails = ['', '1', '12', '123', '1234', '12345', '123456', '1234567', '12345678', '123456789', '1234567890'];
  const repeated = [...'0123456789abcdefghijklmnopqrstuvwxyz'].flatMap((one) =>
    Array.from({ length: 12 }, (_, i) => one.repeat(i + 1)),
  );
  return [...commonLong, ...runs, ...repeated, ...roots.flatMap((root) => tails.map((tail) => root + tail))];
}
