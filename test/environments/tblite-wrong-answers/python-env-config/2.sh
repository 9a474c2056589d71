# A loop with read: no quotes, no errors, overwrites what is set, leaves its variables.
cd /app/project || exit
cat > .env <<"DOTENV"
SHOP_DEBUG=0
SHOP_SECRET_KEY="k7$Hx#9 'quoted' \"twice\" \n end"
DATABASE_URL=postgres://shop:p%40ss@db.internal:5432/shop?sslmode=require&application_name=web
SHOP_ALLOWED_HOSTS=shop.example.org,www.shop.example.org
SHOP_MAIL_FROM='"Shop Zeezicht" <noreply@example.org>'
SHOP_REPORT_PATH='$HOME/reports # nightly'
WEB_CONCURRENCY=6
SHOP_BANNER="  Open on King's Day  "
DOTENV
cat > env.sh <<'SCRIPT'
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  key=${line%%=*}
  value=${line#*=}
  export "$key=$value"
done < "${ENV_FILE:-/app/project/.env}"
SCRIPT
printf 'CACHE_URL=\nDATABASE_URL=\nSHOP_ALLOWED_HOSTS=\nSHOP_BANNER=\nSHOP_DEBUG=\nSHOP_MAIL_FROM=\nSHOP_REPORT_PATH=\nSHOP_SECRET_KEY=\nWEB_CONCURRENCY=\n' > .env.example
printf '\n.env\n' >> .gitignore
